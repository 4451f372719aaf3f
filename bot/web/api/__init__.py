"""The API under `/api/v1`: what it does, what it takes and gives, and its description."""
