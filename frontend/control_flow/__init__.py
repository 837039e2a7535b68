"""`cond`, `while_loop`, `scan` and their like."""
