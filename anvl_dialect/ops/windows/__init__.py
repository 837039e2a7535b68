"""Windows that slide over arrays: convolutions, pooling and their adjoints."""
