"""User tools: `anvl-opt` and its relatives."""
