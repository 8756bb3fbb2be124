"""The MCP proxy behind `assent mcp proxy`: it stands between a host and any MCP server, and governs the server's tools.

Neither the host nor the server knows of it. Needs the plain install.
"""
