"""Calls of external code."""
