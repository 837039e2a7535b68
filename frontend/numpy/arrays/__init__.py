"""`anvl.numpy`: making, shaping, indexing and sorting arrays."""
