"""Programs as text, bytecode and artifacts: what is refused, and what is read."""
