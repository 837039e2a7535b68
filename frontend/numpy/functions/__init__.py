"""`anvl.numpy`: mathematical functions, reductions, products and statistics."""
