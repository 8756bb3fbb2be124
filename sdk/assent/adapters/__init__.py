"""Agents' frameworks: thin pieces that have their tools ask before they act. None is imported until it is used."""
