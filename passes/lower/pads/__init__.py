"""Pads that XLA reads in one loop with others, in place of copies, and copies in place of pads."""
