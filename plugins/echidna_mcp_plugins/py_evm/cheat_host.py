"""The world of py-evm as cheatcodes change it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from echidna_mcp.cheatcodes import pranks
from echidna_mcp.cheatcodes.addresses import CHEATCODES, STUB
from echidna_mcp.cheatcodes.cheats import Cheats
from echidna_mcp.cheatcodes.handlers import make_cheats
from echidna_mcp.cheatcodes.host import EnvField
from echidna_mcp.evm.backend import AccountState
from echidna_mcp_plugins.py_evm.message import address_of
from echidna_mcp_plugins.py_evm.world import Beside, all_accounts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from echidna_mcp.evm.cheat_settings import CheatSettings
    from echidna_mcp.evm.fork import ForkName
    from echidna_mcp.evm.outside import Outside
    from echidna_mcp_plugins.py_evm.state import State

_U64 = (1 << 64) - 1


def add_cheats(
    state: State, settings: CheatSettings, outside: Outside, fork: ForkName
) -> None:
    """Give a state cheatcodes, and code to the account that stands for them."""
    host = Host(state, settings, fork)
    state.cheats = make_cheats(host, settings, outside)
    state.world.beside = _Remembered(state.cheats)
    state.world.set_code(address_of(CHEATCODES), STUB)


class _Remembered(Beside):
    """What cheatcodes remember, and the pranks."""

    def __init__(self, cheats: Cheats) -> None:
        self._cheats = cheats

    def mark(self) -> Any:
        known = self._cheats.host.pranks
        size = known.count * pranks.PRANK_ROW
        return self._cheats.mark(), bytes(known.rows[:size])

    def restore(self, mark: Any) -> None:
        held, rows = mark
        self._cheats.restore(held)
        known = self._cheats.host.pranks
        known.count = len(rows) // pranks.PRANK_ROW
        known.rows[: len(rows)] = rows


class Host:
    """`CheatHost` on a state of py-evm.

    Attributes:
        pranks: in whose name calls are made.
        fork: the rules by which it runs.
    """

    def __init__(self, state: State, settings: CheatSettings, fork: ForkName) -> None:
        self._state = state
        self.fork: ForkName = fork
        self.pranks = pranks.new_pranks(dies=pranks.die_with_frames(settings.dialect))

    @property
    def origin(self) -> int:
        """Who sent the message."""
        return self._state.scope.sender

    def env(self, field: EnvField) -> int:
        """Return what block and chain are now."""
        world = self._state.world
        match field:
            case "timestamp":
                return world.timestamp
            case "number":
                return world.number
            case "gas_price":
                return self._state.scope.price
            case _:
                return cast("int", getattr(world.env, field))

    def set_env(self, field: EnvField, value: int) -> None:
        """Change it."""
        world = self._state.world
        match field:
            case "timestamp":
                world.timestamp = value & _U64
            case "number":
                world.number = value & _U64
            case "gas_price":
                self._state.scope.price = value
            case _:
                setattr(world.env, field, value)

    def balance(self, address: int) -> int:
        """Return a balance in wei."""
        return self._state.get_balance(address_of(address))

    def nonce(self, address: int) -> int:
        """Return a nonce."""
        return self._state.get_nonce(address_of(address))

    def code(self, address: int) -> bytes:
        """Return runtime code."""
        return self._state.get_code(address_of(address))

    def storage(self, address: int, slot: int) -> int:
        """Return a storage word."""
        return self._state.world.storages.get(address_of(address), {}).get(slot, 0)

    def set_account(
        self,
        address: int,
        *,
        balance: int | None = None,
        nonce: int | None = None,
        code: bytes | None = None,
        lasting: bool = False,
    ) -> None:
        """Change an account; None keeps what there is."""
        state, where = self._state, address_of(address)
        world = state.world
        if balance is not None:
            (world.set_lasting_balance if lasting else world.set_balance)(
                where, balance
            )
        if nonce is not None:
            (world.set_lasting_nonce if lasting else state.set_nonce)(where, nonce)
        if code is not None:
            state.set_code(where, code)

    def set_storage(self, address: int, slot: int, word: int) -> None:
        """Write a storage word."""
        world, where = self._state.world, address_of(address)
        slots = world.slots(where)
        if word:
            world.put(slots, slot, word)
        elif slot in slots:
            world.undo.append((slots, slot, slots.pop(slot)))

    def accounts(self) -> Iterator[tuple[int, AccountState]]:
        """Return all accounts that are not empty."""
        return all_accounts(self._state.world)
