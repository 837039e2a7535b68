"""Lowering to StableHLO: patterns, outlining, and guards against XLA's faults."""
