"""Built-in models: rules that act on messages only and go through the same tool calls as a real model."""
