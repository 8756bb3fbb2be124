"""Who it is: organizations, keys, identities, agents."""
