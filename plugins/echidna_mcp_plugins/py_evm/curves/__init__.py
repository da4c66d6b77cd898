"""Arithmetic on elliptic curves that py-evm lacks, or is slow at."""
