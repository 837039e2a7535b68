"""Why programs are compiled: the difference of a call from the nearest known one, as data."""
