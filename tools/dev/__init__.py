"""Developer tools: generated files, lint, tests, fuzzers."""
