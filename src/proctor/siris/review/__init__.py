"""Asking: what a model is shown, the conversation it has, and what it chose."""
