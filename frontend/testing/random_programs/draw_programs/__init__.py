"""Random programs: how they are drawn."""
