"""Several processes that work on one program: how they find each other, and learn of failures."""
