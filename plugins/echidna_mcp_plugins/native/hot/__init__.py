"""Hot code: machine code of blocks that run often."""
