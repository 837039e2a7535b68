"""Programs over several devices, in the form that XLA reads."""
