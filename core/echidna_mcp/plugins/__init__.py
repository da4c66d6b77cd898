"""The plugin framework: hook specifications and the manager that loads plugins."""
