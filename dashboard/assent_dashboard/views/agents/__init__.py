"""Who is there: agents, whether they are heard of, and what each does."""
