"""The definition of an op: how its class is made and checked, and the function that builds it."""
