"""The full-screen inbox of `assent approvals`. Only `screen.py` and the panes and dialogs beside it know Textual."""
