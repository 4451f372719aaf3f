"""From a planned job to a command that shows its failure again."""
