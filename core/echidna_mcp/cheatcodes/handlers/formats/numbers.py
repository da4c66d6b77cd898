"""Numbers of JSON and TOML: what Foundry makes of those that have decimals.

Foundry takes them through binary floating point. What it rounds to is computed here
with integers, which are the same on every machine.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

_PRECISION: Final = 53
_MOST_DIGITS: Final = 17
"""Decimal digits that tell every binary64 from its neighbours."""
_LEAST: Final = -1074
"""The exponent of the least binary64 above zero."""
_FARTHEST: Final = 400
"""An exponent of ten beyond all of binary64."""
_TOO_LARGE: Final = 1 << 1024
_WITHOUT_EXPONENT: Final = 16


def normal(text: str) -> str:
    """Return a number of JSON as it is kept: with `e+3` for `E3`, and no `-0`."""
    mantissa, mark, exponent = text.lower().partition("e")
    if mark and exponent[0] not in "+-":
        exponent = f"+{exponent}"
    return "0" if text == "-0" else mantissa + mark + exponent


def whole(text: str) -> int | None:
    """Return the integer that a number of JSON means to `parseJson`; None if none."""
    if "e" not in text:
        return None if "." in text or len(text) > 80 else int(text)
    number = nearest(text)
    if number is None or number.denominator != 1:
        return None
    digits, exponent = shortest(abs(number))
    result: int = digits * 10**exponent if exponent >= 0 else digits // 10**-exponent
    return -result if number < 0 else result


def nearest(text: str) -> Fraction | None:
    """Return the binary64 next to a decimal number; None if it is too large for one."""
    mantissa, _, exponent = text.partition("e")
    digits, _, fraction = mantissa.lstrip("+-").partition(".")
    significant = (digits + fraction).lstrip("0")
    if not significant:
        return Fraction(0)
    place = _exponent(exponent) - len(fraction)
    if len(significant) + place > _FARTHEST:
        return None
    if len(significant) + place < -_FARTHEST:
        return Fraction(0)
    number = _rounded(_decimal(significant, place))
    if number >= _TOO_LARGE:
        return None
    return -number if mantissa.startswith("-") else number


def shortest(number: Fraction) -> tuple[int, int]:
    """Return the shortest digits and the exponent of ten that mean a binary64.

    Args:
        number: a binary64 above zero, or zero.
    """
    if not number:
        return 0, 0
    scale = _scale(number)
    for count in range(1, _MOST_DIGITS + 1):
        place = scale - count
        digits = round(Fraction(number, Fraction(10) ** place))
        if _rounded(digits * Fraction(10) ** place) == number:
            while digits % 10 == 0:
                digits, place = digits // 10, place + 1
            return digits, place
    raise AssertionError(f"{number} is no binary64")


def written(text: str) -> str | None:
    """Return a float of TOML as JSON has it; None if it is too large for binary64."""
    number = nearest(text.lower().replace("_", ""))
    if number is None:
        return None
    digits, place = shortest(abs(number))
    return ("-" if text.startswith("-") else "") + _layout(str(digits), place)


def _layout(digits: str, place: int) -> str:
    point = len(digits) + place
    if place >= 0 and point <= _WITHOUT_EXPONENT:
        return f"{digits}{'0' * place}.0"
    if 0 < point <= _WITHOUT_EXPONENT:
        return f"{digits[:point]}.{digits[point:]}"
    if -5 < point <= 0:
        return f"0.{'0' * -point}{digits}"
    rest = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{digits[0]}{rest}e{point - 1:+d}"


def _exponent(text: str) -> int:
    """Return an exponent; one of many digits is as good as one of four."""
    digits = text.lstrip("+-").lstrip("0")
    number = int(digits or "0") if len(digits) <= 4 else 10**9
    return -number if text.startswith("-") else number


def _decimal(significant: str, place: int) -> Fraction:
    """Return a decimal number; digits that decide no rounding are cut off."""
    kept, rest = significant[:800], significant[800:]
    # One more digit says on which side of a tie the number is.
    more = 1 if rest.strip("0") else 0
    return (_integer(kept) * 10 + more) * Fraction(10) ** (place + len(rest) - 1)


def _integer(digits: str) -> int:
    number = 0
    for at in range(0, len(digits), 18):
        chunk = digits[at : at + 18]
        number = number * 10 ** len(chunk) + int(chunk)
    return number


def _scale(number: Fraction) -> int:
    """Return the power of ten that is the least one above a number."""
    scale = len(str(int(number))) if number >= 1 else 1
    while number < Fraction(10) ** (scale - 1):
        scale -= 1
    return scale


def _rounded(number: Fraction) -> Fraction:
    """Return the binary64 next to a number above zero; of two, the even one."""
    size = number.numerator.bit_length() - number.denominator.bit_length()
    exponent = max(size - _PRECISION, _LEAST)
    while exponent < size and number >= Fraction(2) ** (exponent + _PRECISION):
        exponent += 1
    unit = Fraction(2) ** exponent
    return round(Fraction(number, unit)) * unit
