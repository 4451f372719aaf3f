"""From the prepared tree to the failure that a patch has to mend."""
