"""The dashboard: the operator's pages."""
