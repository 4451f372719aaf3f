"""One module for each command of `fixpoint`, and what they share."""
