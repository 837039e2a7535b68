"""Elementwise ops: each element of the result depends on the operands' elements at its position."""
