"""Tools: validated, timed, typed calls between a transport and a tool plugin."""
