"""What an output says that a Python project lacks, and what to do about it."""
