"""Random programs: how their results are judged."""
