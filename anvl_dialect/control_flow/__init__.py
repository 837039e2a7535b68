"""Ops and functions with bodies: choices, loops, checkpoints, custom derivatives."""
