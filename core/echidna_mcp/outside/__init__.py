"""The machine as cheatcodes see it: variables, files and programs of a project."""
