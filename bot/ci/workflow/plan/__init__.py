"""From a workflow to the steps of one of its jobs, as far as they are known before they run."""
