"""Loops and choices that compute a part of others."""
