"""Parameters of ops: encoding of Python values as attributes, and decoding."""
