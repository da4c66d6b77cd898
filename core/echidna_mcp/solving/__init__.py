"""The frontier solver: inputs that take a branch no sequence has taken.

A sequence of the corpus runs once more on a small interpreter, with its inputs as
symbols; a solver answers what they would have to be for one branch to go the other way.
Nothing here decides a result: an answer is an event, and what it brings is run and
judged as any other sequence (docs/solving.md).
"""
