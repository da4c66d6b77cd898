"""Climbing: from comparisons that a call has made to a call that decides otherwise.

A call that is climbed runs many times in its place: a *variant* of it, or of a call
shortly before it, runs, what it compares is looked at, and it is undone. What comes
nearer to the other outcome of a comparison is kept, and only that is left in the
sequence. `climb` leads; `docs/search.md` has the reasons.
"""
