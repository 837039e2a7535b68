"""What is installed, and whether it works: `anvl.show_versions()` and `anvl doctor`."""
