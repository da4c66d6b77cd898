"""A chain on this machine that answers like a gateway (NAG) of the Circular Protocol.

It holds to the rules that the public networks show to their official clients, and lies
about nothing: it serves this machine only, is no mainnet, and says what it is.
"""
