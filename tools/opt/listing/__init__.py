"""Answers of `anvl-opt` to questions about itself, and the listings in them."""
