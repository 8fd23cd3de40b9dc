"""What stores take: tables of cost parameters."""
