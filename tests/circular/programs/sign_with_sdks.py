"""Signatures and ids as both official SDKs make them, for keys 0 to 39."""

from __future__ import annotations

import hashlib
import json

from circular_enterprise_apis import CEP_Account
from circular_protocol_api import helper

KEYS = 40


def vector(number: int) -> dict[str, str]:
    key = hashlib.sha256(f"key {number}".encode()).hexdigest()
    text = hashlib.sha256(f"text {number}".encode()).hexdigest()
    account = CEP_Account()
    account.open("x")
    return {
        "key": key,
        "text": text,
        "public": helper.getPublicKey(key),
        "enterprise": account.sign_data(text, key),
        "standard": helper.signMessage(text, key),
    }


if __name__ == "__main__":
    print(json.dumps([vector(number) for number in range(KEYS)]))  # noqa: T201
