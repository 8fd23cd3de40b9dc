"""A step takes at most 32 prompt tokens of one request."""

PREFILL_CHUNK_CAP = 32
