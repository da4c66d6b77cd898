"""A contract to try the fuzzer on, compiled, so that no compiler is needed."""

from __future__ import annotations

import json
from importlib.resources import files

from echidna_mcp.program.model import Program


def load_demo() -> Program:
    """Return the program of `Vault.sol`.

    Its property `echidna_solvent` is false and takes three calls to falsify;
    `echidna_fee_is_bounded` is true.
    """
    text = files(__name__).joinpath("program.json").read_text("utf-8")
    return Program.from_json(json.loads(text))
