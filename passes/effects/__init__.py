"""Effects as values: what the program returns in place of having an effect."""
