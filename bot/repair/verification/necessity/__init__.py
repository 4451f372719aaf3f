"""Which parts of a change does a test need?"""
