"""What changed functions answer on both sides of a change."""
