"""The functions of fuzzing code that Python calls, compiled or plain."""
