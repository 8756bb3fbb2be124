"""The inbox of approvals: what waits, kept for each session, and the routes by which its page speaks to it."""
