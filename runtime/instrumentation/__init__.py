"""Instrumentation: phases in logs and profiles, and a line while XLA compiles."""
