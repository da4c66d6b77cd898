"""py-evm's view of our world: no trie, no database, no validation."""

# What overrides a method of py-evm is documented there.
# ruff: noqa: D102

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from eth.vm.forks.cancun.state import CancunState
from eth_hash.auto import keccak
from eth_typing import Address, Hash32

from echidna_mcp.cheatcodes.addresses import CHEATCODES, STUB_HASH
from echidna_mcp.evm.backend import Message
from echidna_mcp.evm.fork import HISTORY_ADDRESS, HISTORY_WINDOW
from echidna_mcp_plugins.py_evm.message import Scope, address_of

if TYPE_CHECKING:
    from echidna_mcp.cheatcodes.cheats import Cheats
    from echidna_mcp_plugins.py_evm.message import Checkpoint
    from echidna_mcp_plugins.py_evm.precompiles import Precompiles
    from echidna_mcp_plugins.py_evm.program import ProgramCache
    from echidna_mcp_plugins.py_evm.world import World

_ANCESTORS = 256
_CHEATCODES = address_of(CHEATCODES)
_STUB_HASH = Hash32(STUB_HASH.to_bytes(32, "big"))
_WORD = 32
_MEMO_WORDS = 2
_MEMO_ENTRIES = 1 << 15


class State(CancunState):
    """Adapts `World` and `Scope` to the methods that py-evm's opcodes call.

    Attributes:
        world: accounts and clock.
        scope: the running message.
        cheats: its cheatcodes; None if there are none.
        programs: decoded code.
        precompiles: by address; they are always warm.
    """

    __slots__ = ("_memo", "cheats", "precompiles", "programs", "scope", "world")

    def __init__(  # pylint: disable=super-init-not-called
        self,
        world: World,
        programs: ProgramCache,
        precompiles: Precompiles,
    ) -> None:
        self.world = world
        self.cheats: Cheats | None = None
        self.programs = programs
        self.precompiles = precompiles
        self.scope = Scope(Message(sender=0, to=None, data=b""))
        self._memo: dict[bytes, int] = {}

    # ------------------------------------------------------------- accounts

    def get_balance(self, address: Address) -> int:
        return self.world.balances.get(address, 0)

    def set_balance(self, address: Address, balance: int) -> None:
        self.world.set_balance(address, balance)

    def get_nonce(self, address: Address) -> int:
        return self.world.nonces.get(address, 0)

    def set_nonce(self, address: Address, nonce: int) -> None:
        self.world.put(self.world.nonces, address, nonce)

    def increment_nonce(self, address: Address) -> None:
        self.set_nonce(address, self.get_nonce(address) + 1)

    def get_code(self, address: Address) -> bytes:
        return self.world.codes.get(address, b"")

    def set_code(self, address: Address, code: bytes) -> None:
        self.world.set_code(address, code)

    def get_code_hash(self, address: Address) -> Hash32:
        if self.cheats is not None and address == _CHEATCODES:
            return _STUB_HASH
        return Hash32(self.programs[self.get_code(address)].code_hash)

    def has_code_or_nonce(self, address: Address) -> bool:
        world = self.world
        return bool(
            world.nonces.get(address)
            or address in world.codes
            or world.storages.get(address)  # EIP-7610
        )

    def account_exists(self, address: Address) -> bool:
        # Since EIP-161 nothing can tell an absent account from an empty one.
        return not self.world.is_empty(address)

    def account_is_empty(self, address: Address) -> bool:
        return self.world.is_empty(address)

    def touch_account(self, address: Address) -> None:
        """Do nothing: empty accounts are not kept."""

    def delete_storage(self, address: Address) -> None:
        self.world.clear_storage(address)

    # ----------------------------------------------------------- access list

    def is_address_warm(self, address: Address) -> bool:
        return address in self.scope.warm or address in self.precompiles

    def mark_address_warm(self, address: Address) -> None:
        scope = self.scope
        if address not in scope.warm:
            scope.undo.append((scope.warm, address, None))
            scope.warm[address] = True

    # ----------------------------------------------------------- checkpoints

    def snapshot(self) -> Any:
        scope = self.scope
        return (len(self.world.undo), len(scope.undo), len(scope.logs), scope.refund)

    def revert(self, snapshot: Any) -> None:
        world_mark, mark, logs, refund = cast("Checkpoint", snapshot)
        if self.world.lasting:
            made = self.scope.made_since(mark)
            self.world.rollback_frame(world_mark, made)
        else:
            self.world.rollback(world_mark)
        self.scope.revert(mark, logs, refund)

    def commit(self, snapshot: Any) -> None:
        """Do nothing: what has not been undone is kept."""

    # ----------------------------------------------------------------- hashes

    def get_ancestor_hash(self, block_number: int) -> Hash32:
        """Return keccak of the number in decimal, for the last 256 blocks."""
        if 0 < self.world.number - block_number <= _ANCESTORS:
            return Hash32(keccak(b"%d" % block_number))
        return Hash32(b"")

    def write_asked(self, question: bytes) -> None:
        """Write the word that the contract of EIP-2935 is about to read.

        The chain has no blocks between messages that could have written it. The hash is
        that of `get_ancestor_hash`, for the last 8191 blocks.
        """
        asked = int.from_bytes(question, "big")
        if len(question) == _WORD and 0 < self.world.number - asked <= HISTORY_WINDOW:
            slots = self.world.slots(address_of(HISTORY_ADDRESS))
            hashed = int.from_bytes(keccak(b"%d" % asked), "big")
            self.world.put(slots, asked % HISTORY_WINDOW, hashed)

    def keccak(self, data: bytes) -> int:
        """Return keccak as a word; results for one or two words are remembered."""
        memo = self._memo
        word = memo.get(data)
        if word is None:
            word = int.from_bytes(keccak(data), "big")
            if len(data) <= 32 * _MEMO_WORDS:
                if len(memo) >= _MEMO_ENTRIES:
                    memo.clear()
                memo[data] = word
        return word
