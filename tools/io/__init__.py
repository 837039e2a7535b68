"""Input, output and messages of all tools."""
