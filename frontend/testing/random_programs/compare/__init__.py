"""Random programs: comparison of their results."""
