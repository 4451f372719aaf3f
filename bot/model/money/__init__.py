"""What a run may cost, who is charged, and what is left."""
