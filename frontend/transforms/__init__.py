"""Transformations of functions: `grad`, `vjp`, `jvp`, `vmap`, `checkpoint` and their like."""
