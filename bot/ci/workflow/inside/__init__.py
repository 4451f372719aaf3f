"""What runs inside a sandbox, on whatever Python it has; nothing here is imported by the bot."""
