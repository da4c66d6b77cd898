"""What the cheatcodes of one EVM remember, and what happens when its frames act.

The EVM calls `answer` when a cheatcode is called, and, while `hooks` has the bits for
it, tells what its frames do. All that is remembered can go back (`mark`, `restore`): it
belongs to the sequence, and neither a revert nor the end of a message changes it.
"""

from __future__ import annotations

from dataclasses import replace
from enum import IntFlag

from echidna_mcp.cheatcodes import registry
from echidna_mcp.cheatcodes.calls import answer_of_mock, count_call, note_creation
from echidna_mcp.cheatcodes.errors import (
    CheatError,
    FailedAssertionError,
    UnsupportedError,
)
from echidna_mcp.cheatcodes.expectations import (
    check_assumption,
    check_emits,
    check_rest,
    check_revert,
)
from echidna_mcp.cheatcodes.held import Held
from echidna_mcp.cheatcodes.host import (
    Answer,
    CheatHost,
    Creation,
    Ended,
    MadeCall,
    Site,
)
from echidna_mcp.cheatcodes.logs import note_log
from echidna_mcp.cheatcodes.mappings import note_hash, note_write
from echidna_mcp.evm.backend import Refusal
from echidna_mcp.evm.cheat_settings import CheatSettings
from echidna_mcp.evm.outside import Outside, UnansweredError


class Hook(IntFlag):
    """What an EVM has to tell, beside calls of cheatcodes; kernels have the numbers."""

    PRANKS = 1
    """Calls have other senders: see `pranks`."""
    CALLS = 2
    """Calls that begin."""
    ENDS = 4
    """Calls, creations and messages that end."""
    LOGS = 8
    STORAGE = 16
    """Words that are read and written, and hashes of two words."""
    PRICE = 32
    """All messages have the same gas price."""
    HASHES = 64
    """BLOCKHASH and BLOBHASH give what cheatcodes say."""


class Cheats:
    """The cheatcodes of one EVM.

    Attributes:
        host: the EVM.
        settings: how they act.
        held: what they remember.
        outside: what they know of the world outside of the campaign.
        refused: signatures of cheatcodes that were called and do not work, of the
            message that runs, and why they do not.
        failures: revert data of the assertions of `vm` that have failed in it.
        flagged: whether it has set the flag that tells of a failed test.
    """

    def __init__(
        self, host: CheatHost, settings: CheatSettings, outside: Outside
    ) -> None:
        self.host = host
        self.settings = settings
        self.outside = outside
        self.held = Held()
        self.refused: dict[str, str] = {}
        self.failures: dict[bytes, None] = {}
        self.flagged = False

    def begin_message(self) -> None:
        """Forget what the message before has met."""
        self.refused.clear()
        self.failures.clear()
        self.flagged = False

    @property
    def refusals(self) -> tuple[Refusal, ...]:
        """What was refused, and why."""
        return tuple(Refusal(*each) for each in self.refused.items())

    def has_failed(self, revert_data: bytes | None) -> bool:
        """Whether an assertion has failed in the message that has ended so.

        Args:
            revert_data: None if it did not revert.
        """
        return self.flagged or revert_data in self.failures

    @property
    def hooks(self) -> Hook:
        """What the EVM has to tell now."""
        held = self.held
        found = Hook(0)
        if self.host.pranks.count:
            found |= Hook.PRANKS
        if held.mocks or held.mocked_functions or held.expected_calls:
            found |= Hook.CALLS
        if (
            held.expected_revert
            or held.expected_emits
            or held.expected_calls
            or held.expected_creates
            or held.assumed_no_revert
        ):
            found |= Hook.ENDS
        if held.expected_emits or held.recorded_logs is not None:
            found |= Hook.LOGS
        if held.records_storage:
            found |= Hook.STORAGE
        if held.gas_price is not None:
            found |= Hook.PRICE
        if held.block_hashes or held.blob_hashes is not None:
            found |= Hook.HASHES
        return found

    def mark(self) -> int:
        """Return a handle of what is remembered now."""
        return self.held.mark()

    def restore(self, mark: int) -> None:
        """Go back to it."""
        self.held.restore(mark)

    # -------------------------------------------------------------------- cheatcodes

    def answer(self, site: Site, data: bytes) -> Answer | Creation:
        """Do what the calldata of a call of `vm` says."""
        try:
            output = registry.call(self, site, data)
        except UnsupportedError as error:
            self.refused.setdefault(error.signature, error.reason)
            return Answer(ok=False, output=error.output)
        except UnansweredError:
            # Whatever it returns, the sequence is run again when there is an answer.
            return Answer(ok=False)
        except FailedAssertionError as error:
            if not self.settings.assertions_revert:
                self.held.failed_flag = self.flagged = True
                return Answer(ok=True)
            self.failures[error.output] = None
            return Answer(ok=False, output=error.output)
        except CheatError as error:
            return Answer(ok=False, output=error.output)
        return (
            output if isinstance(output, Creation) else Answer(ok=True, output=output)
        )

    # ------------------------------------------------------------------------ events

    def before_call(self, call: MadeCall) -> Answer | int | None:
        """Hear of a call that begins.

        Returns:
            How it ends, if no code is to run; or whose code is to run in its place.
        """
        count_call(self.held, call)
        return answer_of_mock(self.held, call)

    def ended(self, end: Ended) -> Answer | None:
        """Hear of a call, creation or message that has ended.

        Returns:
            How it ends instead, if otherwise.
        """
        discarded = check_assumption(self.held, self.settings, end)
        if discarded is not None:
            end = replace(end, output=discarded.output)
        answer = check_revert(self.held, self.settings, end)
        if answer is None and end.creates and end.ok and self.held.expected_creates:
            note_creation(self.held, end, self.host.code(end.address))
        if answer is None:
            answer = check_emits(self.held, end)
        if answer is None and not end.depth:
            answer = check_rest(self.held, end)
        return discarded if answer is None else answer

    def logged(self, address: int, topics: tuple[int, ...], data: bytes) -> str | None:
        """Hear of a log; return why the frame that emits it must revert, if it must."""
        return note_log(self.held, address, topics, data)

    def accessed(self, address: int, slot: int, *, written: bool) -> None:
        """Hear that a frame has read or written a storage word."""
        found = self.held.accesses
        if found is not None:
            self.held.accesses = found.with_access(address, slot, written=written)
        if written:
            note_write(self.held, address, slot)

    def hashed(self, address: int, words: bytes, result: int) -> None:
        """Hear that a frame has hashed two words."""
        note_hash(self.held, address, words, result)

    def block_hash(self, number: int, otherwise: int) -> int:
        """Return what BLOCKHASH gives; `otherwise` is 0 if it may not tell."""
        return otherwise and self.held.block_hashes.get(number, otherwise)

    def blob_hash(self, index: int, otherwise: int) -> int:
        """Return what BLOBHASH gives."""
        hashes = self.held.blob_hashes
        if hashes is None:
            return otherwise
        return hashes[index] if index < len(hashes) else 0
