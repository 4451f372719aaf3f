"""What an output says that a Node project lacks, and what to do about it."""
