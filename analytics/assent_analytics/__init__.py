"""What governance data adds up to: frames in, frames out. Each number has its one definition here.

`pcaa`, `approvals`, `decisions` and `replay` take the tables as they are served (`client.frame("actions")`) and give
lazy frames; `charts` draws them. The service answers with the same functions that a notebook calls.
"""
