"""The word that every command begins with, whatever case it is written in."""

WORD = "/fix"
