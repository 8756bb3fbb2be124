"""The checks of a bundle, one file for what is checked together."""
