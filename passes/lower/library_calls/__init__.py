"""Operands and readers of calls of YNNPACK, by XLA:CPU."""
