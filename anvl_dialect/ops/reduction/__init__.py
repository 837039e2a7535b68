"""Reductions and scans along axes, and ops built on them."""
