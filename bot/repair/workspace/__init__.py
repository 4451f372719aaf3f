"""Where a run works: the source, the prepared tree, an attempt's own sandbox."""
