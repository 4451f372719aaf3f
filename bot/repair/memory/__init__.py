"""What is remembered of earlier runs: signatures of failures, and what is recalled for one."""
