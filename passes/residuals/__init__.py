"""Residuals of reverse mode: which values to save, and which to recompute."""
