"""Products of matrices, factorizations, and functions of them."""
