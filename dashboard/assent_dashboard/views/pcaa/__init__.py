"""How well actions pass the five checkpoints."""
