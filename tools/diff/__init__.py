"""`anvl-diff`: what differs between two programs, or what passes changed, as MLIR."""
