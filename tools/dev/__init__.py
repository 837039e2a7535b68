"""What keeps the repository in order: generated files, lint, tests, fuzzers."""
