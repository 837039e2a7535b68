"""Tools for lit tests: find checks that test nothing, and write checks from the output."""
