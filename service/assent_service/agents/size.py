"""How much an agent may say beside what is asked."""

MOST_BYTES = 10_000
"""Of metadata, as JSON."""
