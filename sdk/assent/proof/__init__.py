"""Proof: canonical JSON and digests, pure."""
