"""proctor measures how well LLM agents do AI research."""
