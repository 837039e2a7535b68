"""Ops and functions with regions: branches, loops, checkpoints, custom derivatives."""
