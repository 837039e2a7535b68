"""Installed versions, and a test of the installation: `anvl.show_versions()` and `anvl doctor`."""
