"""Calls of code from outside of the program."""
