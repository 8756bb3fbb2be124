"""A page for each noun: `load` asks the client, `draw` puts it on the screen."""
