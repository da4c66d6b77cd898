"""Projections of the event store. Each can be deleted and rebuilt by a fold.

The campaign, the server, replay and resume all use these same folds: there is no second
place that knows what an event means.
"""
