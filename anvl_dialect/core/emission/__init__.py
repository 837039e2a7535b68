"""Ops that the rules of several ops emit."""
