"""The page of the documentation about cheatcodes: `python -m` this prints it."""
