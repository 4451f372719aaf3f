"""A run that failed checks began: what stands for them here, and what they are."""
