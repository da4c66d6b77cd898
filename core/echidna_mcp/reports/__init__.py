"""Coverage in lines, branches and functions."""
