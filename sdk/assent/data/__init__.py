"""What comes into a workspace from files: transcripts of agents, read and recorded as history."""
