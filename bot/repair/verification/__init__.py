"""Whether a patch is accepted."""
