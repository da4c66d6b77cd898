"""Whose reverts undo balances and nonces that cheatcodes have set."""

from __future__ import annotations

from typing import Any

import pytest
from cheat_answers import ask, new_cheats


class Host:
    """Tells how accounts are changed."""

    def __init__(self) -> None:
        self.lasting: list[bool] = []

    def nonce(self, _address: int) -> int:
        return 0

    def code(self, _address: int) -> bytes:
        return b""

    def set_account(self, _address: int, *, lasting: bool = False, **_: Any) -> None:
        self.lasting.append(lasting)


@pytest.mark.parametrize("dialect", ["foundry", "echidna", "medusa"])
def test_they_survive_a_revert_in_foundry_alone(dialect):
    host = Host()
    cheats = new_cheats(host, dialect=dialect)
    ask(cheats, "deal(address,uint256)", 500, 1)
    ask(cheats, "setNonce(address,uint64)", 500, 1)
    ask(cheats, "setNonceUnsafe(address,uint64)", 500, 1)
    ask(cheats, "resetNonce(address)", 500)
    ask(cheats, "etch(address,bytes)", 500, "0x01")
    lasts = dialect == "foundry"
    assert host.lasting == [lasts, lasts, lasts, lasts, False]
