"""Prompt injections: what the scan found, texts that are allowed whatever it finds, and a text of one's own."""
