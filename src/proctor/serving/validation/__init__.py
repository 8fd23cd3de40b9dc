"""Simulated runs beside measured ones."""
