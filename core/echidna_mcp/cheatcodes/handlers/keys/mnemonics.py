"""Private keys from the words of a mnemonic (BIP-39) and a path (BIP-32)."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from echidna_mcp.cheatcodes.errors import CheatError, UnsupportedError
from echidna_mcp.cheatcodes.handlers.formats.text import quoted
from echidna_mcp.cheatcodes.handlers.keys.secp256k1 import ORDER, compressed
from echidna_mcp.cheatcodes.handlers.keys.wally import wallycore

ETHEREUM: Final = "m/44'/60'/0'/0/"
"""The path of Ethereum's accounts, up to their number."""
LANGUAGES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "english": "en",
        "spanish": "es",
        "french": "fr",
        "italian": "it",
        "japanese": "jp",
        "chinese_simplified": "zhs",
        "chinese_traditional": "zht",
    }
)
"""Languages whose words are known, and what wallycore calls them."""
_WITHOUT_WORDS: Final = ("czech", "korean", "portuguese")
_WORDS: Final = 2048
_BITS: Final = 11
_LENGTHS: Final = (12, 15, 18, 21, 24)
_ROUNDS: Final = 2048
_HARDENED: Final = 1 << 31
_INDEX: Final = re.compile(r"\+?([0-9]{1,40})(['h]?)", re.ASCII)
_REMEMBERED: Final = 1024


@lru_cache(_REMEMBERED)
def derive(phrase: str, path: str, number: int, language: str = "english") -> int:
    """Return the private key of a mnemonic at a path and a number behind it.

    Raises:
        CheatError: the phrase is no mnemonic of the language, or the path is none.
        UnsupportedError: the words of the language are not known here.
    """
    seed = _seed(phrase, language)
    whole = f"{path}{'' if path.endswith('/') else '/'}{number}"
    digest = hmac.digest(b"Bitcoin seed", seed, "sha512")
    key, chain = int.from_bytes(digest[:32], "big"), digest[32:]
    for index in _indices(whole):
        key, chain = _child(key, chain, index)
    return key


@lru_cache(_REMEMBERED)
def _seed(phrase: str, language: str) -> bytes:
    _check(phrase, language)
    return hashlib.pbkdf2_hmac("sha512", phrase.encode(), b"mnemonic", _ROUNDS)


def _check(phrase: str, language: str) -> None:
    """Refuse a phrase whose words or checksum are wrong."""
    if language in _WITHOUT_WORDS:
        raise UnsupportedError(
            "deriveKey(string,uint32,string)",
            f"does not know the words of the language {language}.",
        )
    if language not in LANGUAGES:
        raise CheatError(f"unsupported mnemonic language: {quoted(language)}")
    known, bits = _numbers(LANGUAGES[language]), 0
    words = phrase.split(" ")
    for word in words:
        if word not in known:
            raise CheatError(f"the word `{word}` is invalid")
        if len(words) in _LENGTHS:
            bits = bits << _BITS | known[word]
    if len(words) not in _LENGTHS:
        raise CheatError(f"a mnemonic has 12 to 24 words, not {len(words)}")
    size = len(words) // 3  # Bits of the checksum.
    entropy, checksum = bits >> size, bits & ((1 << size) - 1)
    digest = hashlib.sha256(entropy.to_bytes(4 * size, "big")).digest()
    if digest[0] >> (8 - size) != checksum:
        raise CheatError(f"the phrase `{phrase}` is invalid")


@lru_cache
def _numbers(language: str) -> Mapping[str, int]:
    words = wallycore.bip39_get_wordlist(language)
    return {wallycore.bip39_get_word(words, at): at for at in range(_WORDS)}


def _indices(path: str) -> Iterator[int]:
    """Yield the numbers of a path; `m` is none of them, wherever it stands."""
    for part in path.split("/"):
        if part == "m":
            continue
        found = _INDEX.fullmatch(part)
        index = int(found[1]) if found is not None else -1
        if found is None or index >= 2 * _HARDENED:
            raise CheatError(f"Malformatted index during derivation: {path}")
        if found[2]:
            index = (index + _HARDENED) % (2 * _HARDENED)
        yield index


def _child(key: int, chain: bytes, index: int) -> tuple[int, bytes]:
    """Return key and chain code of a child (BIP-32, `CKDpriv`)."""
    hardened = index >= _HARDENED
    parent = b"\0" + key.to_bytes(32, "big") if hardened else compressed(key)
    digest = hmac.digest(chain, parent + index.to_bytes(4, "big"), "sha512")
    child = (int.from_bytes(digest[:32], "big") + key) % ORDER
    assert child, "the one in 2^127 that BIP-32 has no key for"
    return child, digest[32:]
