"""Pipelines by name: the passes in the order in which `jit` runs them."""
