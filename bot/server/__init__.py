"""`fixpoint serve`: everything that lives as long as the server."""
