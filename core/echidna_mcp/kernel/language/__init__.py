"""The kernel language: what an author of kernel functions writes, in plain Python."""
