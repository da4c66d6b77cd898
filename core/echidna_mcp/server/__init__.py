"""The server process: transports in front, the campaign process behind."""
