"""Test runners: which tests failed, passed or were skipped, and why."""
