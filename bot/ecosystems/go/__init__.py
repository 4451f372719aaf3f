"""Go: modules and workspaces."""
