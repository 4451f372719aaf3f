"""Tools of MCP servers: their messages, and the servers in the sandbox and outside of it.

https://modelcontextprotocol.io/specification/2025-06-18
"""
