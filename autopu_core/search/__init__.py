"""Searching: spaces, optimizers, the loop, the planner and its executors. Knows nothing of PU learning or labels."""
