"""NumPy's staples beyond the array API standard, each a composition of other functions."""
