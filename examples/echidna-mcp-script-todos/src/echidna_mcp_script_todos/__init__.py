"""What the scripts of a Unity project leave to do."""
