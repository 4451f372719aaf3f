"""`make demo`: the real server repairs two small projects on a GitHub of this machine."""
