"""Programs from elsewhere: StableHLO as a function of anvl's."""
