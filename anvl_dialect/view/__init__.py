"""Programs to look at: records of modules, what differs between two, and pages that show them."""
