"""Effects of compiled programs, and conditions that they check."""
