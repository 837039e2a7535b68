"""Programs as text, bytecode and artifacts: safety checks, upgrades and parsing."""
