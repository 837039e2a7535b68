"""The parts of lifting from StableHLO: forms of several ops that are one op of anvl's."""
