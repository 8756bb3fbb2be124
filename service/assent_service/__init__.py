"""The service: guard, evidence and everything over HTTP."""
