"""Isolated places to run other people's code, and the git plumbing around them."""
