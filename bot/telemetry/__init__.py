"""What operators see: logs and error reports."""
