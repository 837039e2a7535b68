"""Lifting from StableHLO: patterns of several ops that are one op of anvl."""
