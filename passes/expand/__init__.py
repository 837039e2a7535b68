"""Declared transformations, and the engine that gives them their bodies."""
