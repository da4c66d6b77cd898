"""Integers and memory as fuzzing code sees them.

Code that a native backend compiles is written against this package alone: functions
over integers, byte buffers and word arrays. Run as plain Python it is its own
reference.
"""
