"""Databases and other services that jobs and tests expect."""
