"""Sections of docstrings that many functions share: parameters, results and the standard's page."""
