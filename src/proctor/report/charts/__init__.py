"""Figures of the siris report: pure functions from rows of numbers to Vega-Lite charts (altair)."""
