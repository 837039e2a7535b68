"""Functions that programs call: native ones, and those of Python."""
