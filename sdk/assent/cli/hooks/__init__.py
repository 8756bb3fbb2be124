"""`assent hooks`: put the hooks into a coding assistant's settings, prove that they block, and take them out again."""
