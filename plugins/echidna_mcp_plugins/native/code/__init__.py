"""Code: from bytes to the stream of words that the interpreter runs, and its blocks."""
