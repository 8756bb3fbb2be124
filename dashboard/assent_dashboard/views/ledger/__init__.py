"""What agents did and how guard decided, and each action in full."""
