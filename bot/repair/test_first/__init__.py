"""Where nothing fails yet: what is asked becomes a specification, and that becomes failing tests."""
