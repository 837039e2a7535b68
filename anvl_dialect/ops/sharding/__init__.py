"""Ops on arrays that lie on several devices."""
