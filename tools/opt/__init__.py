"""What users run: `anvl-opt` and its relatives."""
