"""Passes that annotate programs with shardings."""
