"""Ops on whole arrays: padding, sorting, random bits, Fourier transforms, tags."""
