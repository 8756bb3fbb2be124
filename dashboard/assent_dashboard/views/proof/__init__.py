"""Proof that a stranger can check."""
