"""What a reader is told of the system, and asked."""
