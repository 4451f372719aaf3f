"""What a patch has to mend: sorting failures, and running the failing tests alone."""
