"""Stored call sequences of other fuzzers: read as seeds, and written back.

`model` is what they have in common. Each format has a module that reads and writes the
text of one file: `echidna`, `medusa`, `foundry`. `layouts` knows the folders of each,
`directory` reads and extends a whole corpus, `fitting` makes calls of a campaign of
what was read, and `stored` does the opposite.
"""
