"""Tell others of runs over HTTP, as https://www.standardwebhooks.com describes it."""
