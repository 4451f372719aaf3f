"""Flaky tests: by changing one thing at a time, what decides how a test ends is measured."""
