"""How a run on GitHub ends: a publication, a question or its last words."""
