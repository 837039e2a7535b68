"""Jacobians and Hessians: dense, or sparse in as few directions as their patterns need."""
