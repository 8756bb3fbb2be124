"""Whether agents' actions are governed here."""
