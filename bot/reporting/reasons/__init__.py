"""Why things are as they are: one function for each reason, named after it, one module for each room.

Rooms that decide call these functions instead of writing text. Each carries an example, by which
`docs/sentences.md` shows it; a reason without one fails `tests/unit/test_sentences.py`.
"""
