"""Sessions that were told something: the list, and each of them step by step."""
