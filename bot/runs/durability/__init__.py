"""Steps that outlive the process, and outages of GitHub."""
