"""ECRECOVER (Yellow Paper, appendix E), on libsecp256k1.

The library comes in wallycore, which has wheels for all Pythons and systems that we run
on. Of its extension module we load only the C functions: ctypes lets go of the
interpreter lock while they run, which the module's own wrappers do not, and the module
itself, by SWIG, raises a warning when Python ends.
"""

from __future__ import annotations

import ctypes
from importlib.util import find_spec
from typing import Final

from eth_hash.auto import keccak

from echidna_mcp_plugins.precompiles.precompile import Precompile, fixed

GAS: Final = 3000

_INPUT: Final = 128
_V: Final = {(27).to_bytes(32): b"\x1f", (28).to_bytes(32): b"\x20"}
"""The word v, and the first byte of a signature for the library: 4 more, which asks for
a key of 33 bytes."""
_COMPRESSED: Final = 33
_FULL: Final = 65

_SPEC: Final = find_spec("_wallycore")
if _SPEC is None or _SPEC.origin is None:
    raise ImportError("The package wallycore is missing: install echidna-mcp again.")
_LIBRARY: Final = ctypes.CDLL(_SPEC.origin)
_recover = _LIBRARY.wally_ec_sig_to_public_key
_decompress = _LIBRARY.wally_ec_public_key_decompress
for _function, _inputs in ((_recover, 2), (_decompress, 1)):
    _function.argtypes = [ctypes.c_char_p, ctypes.c_size_t] * (_inputs + 1)
    _function.restype = ctypes.c_int


def ecrecover(data: bytes) -> bytes:
    """Return the signer's address as a word; nothing if the signature is not valid.

    `data` is hash, v, r, s, filled up with zeros.
    """
    data = data[:_INPUT].ljust(_INPUT, b"\0")
    first = _V.get(data[32:64])
    if first is None:
        return b""
    key = ctypes.create_string_buffer(_COMPRESSED)
    if _recover(data[:32], 32, first + data[64:], _FULL, key, _COMPRESSED):
        return b""
    point = ctypes.create_string_buffer(_FULL)
    _decompress(key, _COMPRESSED, point, _FULL)
    return keccak(point.raw[1:])[12:].rjust(32, b"\0")


ECRECOVER: Final = Precompile(fixed(GAS), ecrecover)

# Both libraries finish their set-up in the first call: here, before there are threads.
_ONE: Final = (1).to_bytes(32)
assert ecrecover(_ONE + (27).to_bytes(32) + _ONE + _ONE), "a signature of r = s = 1"
