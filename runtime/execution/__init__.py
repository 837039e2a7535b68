"""Running programs: donated arguments, and what is said when a run fails."""
