"""The engine: from a request to a verdict, without knowing who asked."""
