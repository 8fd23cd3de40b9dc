"""Judging: from finished conversations to the paper's numbers, with intervals clustered on the pair."""
