"""Tracing: avals, tracers, promotion, arguments, and the program under construction."""
