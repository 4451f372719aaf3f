"""One proposer at a time, or several side by side, and the verification of what they leave."""
