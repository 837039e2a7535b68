"""Programs from files, executed: `anvl-run`, and the parts that other tools run programs with."""
