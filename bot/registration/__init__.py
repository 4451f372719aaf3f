"""Registering the GitHub App: from its manifest to the settings of a server."""
