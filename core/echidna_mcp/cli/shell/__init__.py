"""What a shell has to be told to complete our command line."""
