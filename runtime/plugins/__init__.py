"""PJRT plugins: how they are found, loaded and started, and the device that is the default."""
