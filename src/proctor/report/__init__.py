"""From Inspect logs to records, and from records to tables."""
