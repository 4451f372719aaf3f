"""What a repository defines and where that is used: an index by content, ranked into a map."""
