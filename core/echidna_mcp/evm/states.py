"""States: values of storage words that tell campaigns how far a sequence has come.

Where every line is covered and the way on leads through the same code again, coverage
has no gradient: a counter that must reach 22 looks the same at 3 and at 21. The words
that contracts count in are among the first ones of their storage, as compilers lay them
out; mappings and arrays have theirs at hashes. So what is news is a *state*: the code
of an account, the number of one of its first `STATE_SLOTS` words, and the class of the
value to which a call that succeeded has changed it.

What is counted is small. The first numbers are classes of their own, one step each; up
to 1023 steps get coarser, as in a floating point number of four bits; above, only the
length counts. What is longer than `LONGEST` bits is an amount: every call would make
another one, and none of them leads anywhere. So what is random in a word is soon no
news any more.

Words of mappings and arrays have no numbers that come back: each key has another one.
What comes back is the function that writes them. So a small number, up to `GREATEST`,
that a call leaves in any other word is a state of the function whose frame has written
it (`WRITTEN`). Functions that write amounts leave all small numbers sooner or later, so
steps above `EXACT` are four times as coarse here.

What has to be right at once shows in none of them alone. So two of the first
`PAIR_WORDS` words of an account that both hold a number from 1 to `EXACT` are a state
together, if a call has changed one of them (`pair_number`).

Several values may share a word. Where a contract has a phase, an enum or a flag, that
is a field of one byte, mostly the lowest, or it stands above an address. If such a
field is small it decides the class, whatever is beside it.

What backends tell, as far as they are asked: of the first words those of accounts
with code that frames which were kept have changed, if only for a while. Of all other
words those that are small now, for the function whose SSTORE was the last to change
them, in a frame that was kept: that is the first four bytes of the frame's calldata, 0
if there are fewer. What cheatcodes have left does not count there. Of two words those
of which one is told for itself.
"""

from __future__ import annotations

from echidna_mcp.kernel.language.marks import inline
from echidna_mcp.kernel.language.memory import leading_zeros256, u64, u256, wrap64

STATE_SLOTS = 1024
"""Words of an account whose values are looked at: the first ones."""
EXACT = 32
"""Values up to this are told apart."""
FINE_BITS = 4
"""Of greater ones, up to `FINE_LENGTH` bits, so many bits after the first."""
FINE_LENGTH = 10
LONGEST = 64
"""Bits of the greatest numbers that have classes."""
NO_STATE = 0
"""Class of all others."""
GREATEST = (1 << FINE_LENGTH) - 1
"""The greatest number that is a state in a word of a mapping or an array."""
FINE_STEP = 4
"""Of the classes of numbers above `EXACT` so many are one there."""
WRITTEN = 1 << 32
"""This and a selector are what a state has instead of the number of a word that a
function has written."""
SELECTOR = 4
"""Bytes of calldata that say which function that is."""
PAIR_WORDS = 16
"""Words of an account of which two are a state together: the first ones."""
PAIRED = 1 << 33
"""This and what tells two words is what a state of both has instead of a number."""
CLASS_BITS = 8
"""A class has no more bits."""
MOST_STATES = 1024
"""States of the first words that a campaign knows at most."""
MOST_WRITTEN = 512
"""States of other words that it knows at most."""
MOST_PAIRED = 512
"""States of two words that it knows at most."""

SMALL_FIELD = 8
"""Greatest lowest byte that decides the class of a number without fine class."""
ADDRESS_BITS = 160
FLAG_BITS = 4
"""Bits above an address that do the same."""

_COARSE = 128
"""The classes of longer numbers are this, and their bits."""
_LOWEST = _COARSE + LONGEST + 1
_ABOVE = _LOWEST + SMALL_FIELD + 1
"""Those of fields are these, and the field."""


@inline
def state_class(value: u256) -> u64:
    """Return the class of a value, below 2^`CLASS_BITS`."""
    if value <= EXACT:
        return 1 + wrap64(value)
    bits = 256 - leading_zeros256(value)
    if bits <= FINE_LENGTH:
        fine = wrap64(value >> (bits - 1 - FINE_BITS)) & ((1 << FINE_BITS) - 1)
        # Numbers above `EXACT` have at least six bits.
        return EXACT + 2 + (bits - 6 << FINE_BITS) + fine
    if bits > ADDRESS_BITS and bits <= ADDRESS_BITS + FLAG_BITS:
        return _ABOVE + wrap64(value >> ADDRESS_BITS)
    if value & 0xFF <= SMALL_FIELD:
        return _LOWEST + wrap64(value & 0xFF)
    if bits <= LONGEST:
        return _COARSE + bits
    return NO_STATE


@inline
def class_in(word: u64, value: u256) -> u64:
    """Return the class of a value, as above.

    Args:
        word: the number of its word, or `WRITTEN` and a selector.
        value: what is in it.
    """
    if word < STATE_SLOTS or value <= EXACT:
        return state_class(value)
    if value <= GREATEST:
        kind = state_class(value)
        return kind - (kind - (EXACT + 2)) % FINE_STEP
    return NO_STATE


@inline
def word_sort(number: u64) -> u64:
    """Return whether a number stands for a first word (0), another one (1), or two."""
    if number < STATE_SLOTS:
        return 0
    if number < PAIRED:
        return 1
    return 2


@inline
def is_paired(word: u64, value: u256) -> u64:
    """Return 1 if a word with this number and value is a state with others, else 0."""
    if word < PAIR_WORDS and value > 0 and value <= EXACT:
        return 1
    return 0


@inline
def pair_number(first: u64, second: u64, value: u64) -> u64:
    """Return what stands for two words; the class is that of the first one's value.

    Args:
        first: number of the word with the smaller number.
        second: number of the other one.
        value: what is in the second.
    """
    return PAIRED | first << 16 | second << 8 | value


def words_of(number: int) -> int:
    """Return what stands for a word or two in their states, whatever is in them."""
    return number & ~0xFF if number & PAIRED else number
