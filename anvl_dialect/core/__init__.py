"""The op model: MLIR bindings, dialect, base class of ops, parameters, types and errors."""
