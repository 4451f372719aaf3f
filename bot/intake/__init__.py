"""From the bytes of a webhook to the decision what to do about it."""
