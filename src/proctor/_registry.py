"""What Inspect discovers through the entry point `inspect_ai`."""
