"""Precompiled contracts that are too large for the kernel language, as plain functions.

The native EVM runs them by way of `native.precompiles.host`. They stand on libraries of
their own: what the native EVM finds is confirmed on py-evm, and that would prove little
if both computed with the same code. So nothing here may import py-evm, nor the
libraries under its precompiles (py_ecc, eth_keys, ckzg).

`table` is imported when a native EVM is made, with all that it needs. Nothing is
imported, read or built when a precompile runs: threads of a campaign run them.
"""
