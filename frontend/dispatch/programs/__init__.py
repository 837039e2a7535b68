"""A traced program on its way to XLA: lowered, or found on disk by its form before that."""
