"""Several attempts of a model side by side: how they differ, which patch is taken, what they cost."""
