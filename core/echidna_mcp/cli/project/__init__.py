"""Commands about a project as its author works on it, before and between campaigns."""
