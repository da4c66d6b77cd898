"""Which precompiles the native EVM asks Python for, by fork."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from echidna_mcp_plugins.precompiles.bls12_381 import (
    G1_ADD,
    G1_MSM,
    G2_ADD,
    G2_MSM,
    MAP_FP2_TO_G2,
    MAP_FP_TO_G1,
    PAIRING_CHECK,
)
from echidna_mcp_plugins.precompiles.ecrecover import ECRECOVER
from echidna_mcp_plugins.precompiles.modexp import MODEXP, MODEXP_OSAKA
from echidna_mcp_plugins.precompiles.p256verify import P256VERIFY
from echidna_mcp_plugins.precompiles.point_evaluation import POINT_EVALUATION

if TYPE_CHECKING:
    from echidna_mcp_plugins.precompiles.precompile import Precompile

_SHANGHAI: Final = {0x1: ECRECOVER, 0x5: MODEXP}
_CANCUN: Final = {**_SHANGHAI, 0xA: POINT_EVALUATION}
_PRAGUE: Final = {
    **_CANCUN,
    0xB: G1_ADD,
    0xC: G1_MSM,
    0xD: G2_ADD,
    0xE: G2_MSM,
    0xF: PAIRING_CHECK,
    0x10: MAP_FP_TO_G1,
    0x11: MAP_FP2_TO_G2,
}
_OSAKA: Final = {**_PRAGUE, 0x5: MODEXP_OSAKA, 0x100: P256VERIFY}

PRECOMPILES: Final[Mapping[str, Mapping[int, Precompile]]] = {
    "shanghai": _SHANGHAI,
    "cancun": _CANCUN,
    "prague": _PRAGUE,
    "osaka": _OSAKA,
}
"""By the name of a fork and the number of an address. Hashes, IDENTITY, BLAKE2F and the
curve BN254 are not here: they are kernel functions (`native.precompiles.contracts`)."""
