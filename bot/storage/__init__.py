"""What must outlive the process: deliveries and runs, on SQLite or PostgreSQL."""
