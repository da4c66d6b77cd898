"""The table of powers that py_ecc would compute while it is imported."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version

from echidna_mcp_plugins.py_evm.curves.pairing_powers import KNOWN

IMPORT = "from echidna_mcp_plugins.py_evm import load; load()"
TABLE = """
from py_ecc.optimized_bls12_381 import optimized_pairing
from py_ecc.fields import optimized_bls12_381_FQ12 as Field
print([type(each).__name__ for each in optimized_pairing.exptable])
print([(each * 3).coeffs for each in optimized_pairing.exptable])
print(Field([0, 1] + [0] * 10) ** 1000, "__pow__" in vars(Field))
"""


def printed(program: str) -> list[str]:
    """Return what a fresh process prints."""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


def test_powers_are_computed_later_and_are_the_same() -> None:
    types, *postponed = printed(IMPORT + TABLE)
    assert types == str(["Power"] * 12)
    types, *computed = printed(TABLE)
    assert "Power" not in types
    assert postponed == computed
    assert len(postponed) == 2


def test_the_version_that_is_installed_is_the_one_whose_table_is_known() -> None:
    assert version("py_ecc") == KNOWN
