"""Validation of passes by execution: `--anvl-validate-each`, `--anvl-bisect`."""
