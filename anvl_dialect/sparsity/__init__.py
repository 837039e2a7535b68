"""Which elements of arguments each element of a result depends on."""
