"""Function transformations: `grad`, `vjp`, `jvp`, `vmap`, `checkpoint` and more."""
