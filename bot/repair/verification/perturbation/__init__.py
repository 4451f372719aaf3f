"""Whether a patch works beside the inputs of the tests that it turns green."""
