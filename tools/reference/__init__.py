"""The API reference: docstrings and pages of `docs/` as one searchable site."""
