"""The repo config, `.github/fixpoint.yml`: its model, its positions, its problems."""
