"""Memory layouts shared by all fuzzing code, beside `abi.type_program`.

**Tape.** A value as a linear stream of 32-byte words in program order, without offsets.
Static leaves are their ABI word. `bytes` and `string` are a length word and the data,
padded with zeros to whole words. `T[]` is a length word and its elements; `T[k]` and
tuples are their elements. Because a tape has no offsets, mutation is cutting and
pasting. A tape is canonical: integers are in range, padding is zero.

**Call record.** `CALL_HEADER` bytes, then the tape of the arguments. A call sequence is
the concatenation of its call records.

**Override.** A call record may end with another one, its override: a call that takes
the place of one that the contract makes (`evm.backend.Override`). It has no sender, no
value and no delays.

**Function table.** `FUNCTION_WORDS` words a function.
"""

from __future__ import annotations

CALL_LENGTH = 0
"""u64: length of the record in bytes, header included; a multiple of 32. The upper half
is how many of them, at its end, are those of its override; 0 for none."""
OVERRIDE_SHIFT = 32
CALL_FUNCTION = 8
"""u64: index into the function table; the upper half is the instance, which counts for
functions with `FLAG_CREATED`: of n contracts the one of number instance mod n."""
CALL_TIME_DELAY = 16
"""u64: seconds that pass before the call."""
CALL_BLOCK_DELAY = 24
"""u64: blocks that pass before the call."""
CALL_VALUE = 32
"""u256: wei sent along."""
CALL_SENDER = 64
"""u256: address of the sender as an integer; above its `SENDER_BITS` bits are marks in
a sequence that has not run yet (`fuzz.harvest`)."""
SENDER_BITS = 160
CALL_HEADER = 96
OVERRIDE_AFTER = CALL_BLOCK_DELAY
"""u64, of an override: how many calls that it could replace are made before."""
MOST_PASSED_OVER = 7
"""Generation passes over up to so many."""

FUNCTION_NODE = 0
"""Index of the tuple node of the parameters in the type program."""
FUNCTION_FLAGS = 1
FUNCTION_SELECTOR = 2
"""The four selector bytes as a big-endian integer."""
FUNCTION_WORDS = 3

FLAG_PAYABLE = 1
FLAG_RAW = 2
"""Calldata is the single `bytes` argument itself, without selector (`fallback`)."""
FLAG_EMPTY = 4
"""Calldata is empty (`receive`)."""
FLAG_CREATED = 8
"""The contract is one that the sequence has created before (`fuzz.created`)."""
INSTANCE_SHIFT = 32
MOST_INSTANCES = 64
"""Generation chooses among so many instances."""

MAX_CALL_BYTES = 16384
"""Largest call record that generation and mutation build; arrays stop growing there."""
MAX_ARRAY_LENGTH = 32
"""Longest `T[]`, `bytes` and `string` that generation builds (Echidna's bound)."""
