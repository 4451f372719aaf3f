"""pre-commit's hooks, where nothing else is tested."""
