"""What changed in how agents work, when, and by how much."""
