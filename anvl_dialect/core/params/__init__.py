"""The parameters of ops: how Python values become attributes, and are read back."""
