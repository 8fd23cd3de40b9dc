"""A step takes as many prompt tokens of one request as its token budget allows."""

PREFILL_CHUNK_CAP = None
