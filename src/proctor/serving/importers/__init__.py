"""Public profile and trace formats, read into the simulator's cost tables and requests."""
