"""Calls as NumPy and JAX write them: their names, order and number of parameters."""
