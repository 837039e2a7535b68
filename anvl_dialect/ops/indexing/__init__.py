"""Ops that read and write parts of arrays by indices."""
