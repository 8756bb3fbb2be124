"""What can be shown: events, traces, proofs, keys that sign, certificates, compliance."""
