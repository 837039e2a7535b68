"""What an op is: MLIR, the dialect, the class of all ops, their parameters, types and errors."""
