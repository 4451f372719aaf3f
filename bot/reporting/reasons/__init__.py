"""Why things are as they are: one name for each reason.

Rooms that decide name these instead of writing text. A sentence that is always the same is a
constant; one that depends on something is a function with an example, by which `docs/sentences.md`
shows it. A reason without one fails `tests/unit/test_sentences.py`.
"""
