"""Reductions and scans along axes, and what is made of them."""
