"""The page Policies: what guard goes by, and changing it with open eyes."""
