"""A step takes at most 16 prompt tokens of one request."""

PREFILL_CHUNK_CAP = 16
