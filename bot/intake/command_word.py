"""The word that every command begins with, whatever case it is written in."""

WORD = "/fix"

MARKS = ",.:;!?…"
"""Punctuation that may follow the word at once, as in `/fix, please`."""

COMMAND = rf"{WORD}(?=[{MARKS}]*(?:\s|\Z))"
"""A pattern of the word, where it is not the beginning of a longer one or of a path."""
