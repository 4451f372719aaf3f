"""The dashboard and the API: what people and programs see of runs, and ask for."""
