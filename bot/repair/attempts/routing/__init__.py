"""Which model an attempt asks: small to large, by what is known and by how attempts went."""
