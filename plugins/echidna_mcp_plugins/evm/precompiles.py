"""py-evm's precompiles, with one correction."""

from __future__ import annotations

from eth.vm.forks.cancun.computation import CANCUN_PRECOMPILES

PRECOMPILES = CANCUN_PRECOMPILES
