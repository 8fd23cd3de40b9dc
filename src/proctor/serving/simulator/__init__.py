"""A serving simulator: replicas that batch continuously, prefix caches, KV memory, step costs and a network."""
