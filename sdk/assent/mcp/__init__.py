"""The MCP server behind `assent mcp`: the governed loop as tools, over standard input and output (extra `mcp`)."""
