"""The proof of anybody's change: base against head, as a card of what was shown and what was not."""
