"""Private keys: signatures on three curves, and keys from the words of a mnemonic.

All signatures are deterministic, and all is remembered: tests sign the same again.
"""
