"""Programs over a mesh: the shardings of arguments and results, and constraints within them."""
