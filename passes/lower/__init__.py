"""The parts of lowering to StableHLO: patterns, outlining, guards of XLA's faults."""
