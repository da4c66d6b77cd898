"""`randomUint`, `shuffle`, `bound` and the like: drawn from a seed and a counter.

Both belong to the sequence and go back with it. The numbers are not those that Foundry
draws from the same seed.
"""

from __future__ import annotations

from hashlib import shake_256
from typing import TYPE_CHECKING, Final

from eth_hash.auto import keccak

from echidna_mcp.cheatcodes.errors import CheatError
from echidna_mcp.cheatcodes.handlers.formats.text import check_size
from echidna_mcp.cheatcodes.host import Site
from echidna_mcp.cheatcodes.registry import cheat

if TYPE_CHECKING:
    from echidna_mcp.cheatcodes.cheats import Cheats

_BITS: Final = 256
_WORDS: Final = 1 << _BITS


def draw_word(cheats: Cheats) -> bytes:
    """Draw 32 bytes."""
    held = cheats.held
    seed = cheats.settings.seed if held.seed is None else held.seed
    number = held.drawn
    held.drawn = number + 1
    return keccak((seed % _WORDS).to_bytes(32, "big") + number.to_bytes(32, "big"))


def _draw(cheats: Cheats, bits: int = _BITS) -> int:
    """Draw a number of so many bits."""
    return int.from_bytes(draw_word(cheats), "big") >> (_BITS - bits)


@cheat("setSeed(uint256)")
def set_seed(cheats: Cheats, _site: Site, seed: int) -> None:
    """Begin anew with a seed."""
    cheats.held.seed = seed
    cheats.held.drawn = 0


@cheat("randomUint()", returns="(uint256)")
def random_uint(cheats: Cheats, _site: Site) -> tuple[int]:
    """Draw a number of 256 bits."""
    return (_draw(cheats),)


@cheat("randomUint(uint256)", returns="(uint256)")
def random_uint_of_bits(cheats: Cheats, _site: Site, bits: int) -> tuple[int]:
    """Draw a number of so many bits."""
    _check_bits(bits)
    return (_draw(cheats, bits),)


@cheat("randomUint(uint256,uint256)", returns="(uint256)")
def random_uint_between(
    cheats: Cheats, _site: Site, least: int, greatest: int
) -> tuple[int]:
    """Draw a number in a range, both ends included."""
    if least > greatest:
        raise CheatError("min must be less than or equal to max")
    return (least + _draw(cheats) % (greatest - least + 1),)


@cheat("randomInt()", returns="(int256)")
def random_int(cheats: Cheats, _site: Site) -> tuple[int]:
    """Draw a signed number of 256 bits."""
    return (_draw(cheats) - _WORDS // 2,)


@cheat("randomInt(uint256)", returns="(int256)")
def random_int_of_bits(cheats: Cheats, _site: Site, bits: int) -> tuple[int]:
    """Draw a signed number of so many bits."""
    _check_bits(bits)
    return (_draw(cheats, bits) - (1 << bits >> 1),)


@cheat("randomAddress()", returns="(address)")
def random_address(cheats: Cheats, _site: Site) -> tuple[int]:
    """Draw an address."""
    return (_draw(cheats, 160),)


@cheat("randomBool()", returns="(bool)")
def random_bool(cheats: Cheats, _site: Site) -> tuple[bool]:
    """Draw true or false."""
    return (bool(_draw(cheats, 1)),)


@cheat("randomBytes(uint256)", returns="(bytes)")
def random_bytes(cheats: Cheats, _site: Site, size: int) -> tuple[bytes]:
    """Draw so many bytes."""
    check_size(size)
    return (shake_256(draw_word(cheats)).digest(size),)


@cheat("randomBytes4()", returns="(bytes4)")
def random_bytes4(cheats: Cheats, _site: Site) -> tuple[bytes]:
    """Draw four bytes."""
    return (draw_word(cheats)[:4],)


@cheat("randomBytes8()", returns="(bytes8)")
def random_bytes8(cheats: Cheats, _site: Site) -> tuple[bytes]:
    """Draw eight bytes."""
    return (draw_word(cheats)[:8],)


@cheat("shuffle(uint256[])", returns="(uint256[])")
def shuffle(
    cheats: Cheats, _site: Site, values: tuple[int, ...]
) -> tuple[tuple[int, ...]]:
    """Return numbers in an order that is drawn (Fisher and Yates)."""
    found = list(values)
    for last in range(len(found) - 1, 0, -1):
        other = _draw(cheats) % (last + 1)
        found[last], found[other] = found[other], found[last]
    return (tuple(found),)


@cheat("sort(uint256[])", returns="(uint256[])")
def sort(
    _cheats: Cheats, _site: Site, values: tuple[int, ...]
) -> tuple[tuple[int, ...]]:
    """Return numbers from the least to the greatest."""
    return (tuple(sorted(values)),)


@cheat("bound(uint256,uint256,uint256)", returns="(uint256)")
@cheat("bound(int256,int256,int256)", returns="(int256)")
def bound(
    cheats: Cheats, _site: Site, present: int, least: int, greatest: int
) -> tuple[int]:
    """Draw a number in a range that has another one, and is not it.

    This is no `bound` of forge-std, which wraps numbers into a range without chance.
    """
    if not least <= present <= greatest or least == greatest:
        raise CheatError(f"cannot bound {present} in [{least}, {greatest}] range")
    value = least + _draw(cheats) % (greatest - least)
    return (value + (value >= present),)


def _check_bits(bits: int) -> None:
    if bits > _BITS:
        raise CheatError("number of bits cannot exceed 256")
