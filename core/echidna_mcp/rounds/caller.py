"""The calls of one sequence on a backend, each to the contract that it is for."""

from __future__ import annotations

from dataclasses import dataclass

from echidna_mcp.evm.backend import CallResult, EvmBackend, Message, Override, Watch
from echidna_mcp.fuzz.created import (
    add_created,
    address_of_number,
    number_of,
)
from echidna_mcp.fuzz.harvest import (
    MOST_LOGS,
    NO_TYPES,
    OF_ADDRESSES,
    Pool,
    harvest_word,
    returned_types,
    room_for_call,
    settle,
)
from echidna_mcp.fuzz.kernels.loading import PLAIN_KERNELS, Kernels
from echidna_mcp.fuzz.records import (
    call_function,
    call_instance,
    override_after,
    override_length,
    plain_length,
    set_call_instance,
)
from echidna_mcp.fuzz.tape import FAIL
from echidna_mcp.program.target import FuzzTarget
from echidna_mcp.rounds.call_codec import CallCodec
from echidna_mcp.rounds.foundry.discarded import is_discarded
from echidna_mcp.rounds.interface import make_created, make_pool


@dataclass(frozen=True, slots=True)
class Called:
    """A call that was made.

    Attributes:
        callee: number of the contract that was called.
        data: calldata.
        discards: how many calls of the sequence were discarded so far.
    """

    result: CallResult
    callee: int
    data: bytes
    discards: int = 0


class Caller:
    """Finds what each call of a sequence is for: `fuzz.created` tells the rule."""

    def __init__(
        self,
        target: FuzzTarget,
        codec: CallCodec,
        backend: EvmBackend,
        kernels: Kernels = PLAIN_KERNELS,
        pool: Pool | None = None,
    ) -> None:
        """Begin with no sequence.

        Args:
            target: what is called.
            codec: of the target.
            backend: what runs the calls.
            kernels: what harvests.
            pool: where to, if somebody else goes on with it.
        """
        self._target = target
        self._harvest_data = kernels.harvest_data
        self._codec = codec
        self._backend = backend
        self._created = make_created(codec.interface.templates)
        self._pool = pool or make_pool(harvests=target.config.harvests)
        self.watch = Watch(
            creations=True,
            destructions=target.config.test_destruction,
            reverter=target.config.excuses_reverts,
        )
        """What has to be known of each call, here and to judge it."""
        self._callee = self._function = 0
        self.discards = 0
        """How many calls of the sequence were discarded."""

    def begin(self) -> None:
        """Begin a sequence."""
        self._created.count = 0
        self._pool.count = 0
        self.discards = 0

    def mark(self) -> tuple[int, int, int]:
        """Return how far the sequence is, to go `back` to."""
        return self._created.count, self._pool.count, self.discards

    def back(self, mark: tuple[int, int, int]) -> None:
        """Forget the calls since a mark."""
        self._created.count, self._pool.count, self.discards = mark

    def settle(self, sequence: bytearray, at: int) -> None:
        """Settle the record at `at`, the next one to run (`fuzz.harvest`)."""
        settle(self._pool, sequence, at)

    def aim(self, sequence: bytearray, at: int) -> Message | None:
        """Return the message of the call record at `at`; None if it is left out.

        The record is changed: it is settled, and its instance becomes the number of the
        contract. So does that of its override; if there is no contract for that, it is
        passed over.
        """
        self.settle(sequence, at)
        self._function = call_function(sequence, at)
        self._callee = self._target.callee_of[self._function]
        address = self._address(sequence, at)
        if address is None:
            return None
        override = None
        if override_length(sequence, at):
            override = self._override(sequence, at + plain_length(sequence, at))
        return self._codec.message_at(sequence, at, address, override)

    def message_of(self, call: bytes) -> Message:
        """Return the message of a settled call to a contract of the start state."""
        record = bytearray(call)
        callee = self._target.callee_of[call_function(record, 0)]
        address = self._target.callees[callee].address
        assert address is not None, "the searcher has found whom it is for"
        return self._codec.message_at(record, 0, address, None)

    def _address(self, sequence: bytearray, at: int) -> int | None:
        """Return which contract the record at `at` is for; None if there is none."""
        callee = self._target.callee_of[call_function(sequence, at)]
        address = self._target.callees[callee].address
        if address is not None:
            return address
        number = number_of(self._created, callee, call_instance(sequence, at))
        if number == FAIL:
            return None
        set_call_instance(sequence, at, number)
        return address_of_number(self._created, callee, number)

    def _override(self, sequence: bytearray, at: int) -> Override | None:
        """Return what the record at `at` is as an override."""
        address = self._address(sequence, at)
        if address is None:
            return None
        return Override(
            to=address,
            data=self._codec.calldata_at(sequence, at),
            after=override_after(sequence, at),
            targets=self._target.overridable,
            spared=self._target.config.contract_addr,
        )

    def made(
        self, message: Message, result: CallResult, *, harvests: bool = True
    ) -> Called:
        """Take note of what the call that was aimed last has created and shown."""
        if result.creations and self._created.template_count:
            for address in result.creations:
                code = bytearray(self._backend.code(address))
                add_created(self._created, address, code, 0, len(code))
        if harvests and result.status.succeeded:
            self._harvest(result)
        self.discards += is_discarded(result)
        return Called(result, self._callee, message.data, self.discards)

    def _harvest(self, result: CallResult) -> None:
        """Take words of what a call has created, returned and logged."""
        pool, stop = self._pool, room_for_call(self._pool)
        for address in result.creations:
            harvest_word(pool, address, OF_ADDRESSES, stop)
        shown = [(result.output, returned_types(pool, self._function))]
        for log in result.logs[:MOST_LOGS]:
            topics = b"".join(log.topics[1:])
            shown += (topics, NO_TYPES), (log.data, NO_TYPES)
        for data, types in shown:
            if data:
                self._harvest_data(pool, bytearray(data), 0, len(data), types, stop)
