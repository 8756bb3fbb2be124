"""What agents tell each other, hand over, remember and leave open."""
