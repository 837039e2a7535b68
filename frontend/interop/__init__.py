"""Programs from other frameworks: StableHLO as a function of anvl."""
