"""Whether a patch is believed."""
