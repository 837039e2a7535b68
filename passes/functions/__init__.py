"""The functions of a module: names, calls, inlining, dead code, simplification."""
