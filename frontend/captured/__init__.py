"""Captured values: what a function reads from outside, and whether it has changed since."""
