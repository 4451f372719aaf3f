"""Whether what runs depend on works, and what is done about it; decisions, without IO."""
