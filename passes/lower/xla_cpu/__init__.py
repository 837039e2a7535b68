"""Properties of a program that decide which of XLA:CPU's options it is compiled with."""
