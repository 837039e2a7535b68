"""Repetition in straight code: found, weighed, and written as a loop or as a batch."""
