"""The nine tools of the Echidna package, one plugin each."""
