"""Random programs: the generator."""
