"""Every sentence a person reads: replies, progress, pull requests, reports, the terminal, JSON."""
