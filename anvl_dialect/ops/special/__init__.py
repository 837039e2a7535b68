"""Special functions: Bessel, gamma, beta and zeta functions."""
