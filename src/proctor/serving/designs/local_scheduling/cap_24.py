"""A step takes at most 24 prompt tokens of one request."""

PREFILL_CHUNK_CAP = 24
