"""The account of the cheatcodes has code, but not the hash that other such code has."""

from __future__ import annotations

import pytest
from eth_hash.auto import keccak
from evm_assembler import assemble
from native_backends import REFERENCE, named

from echidna_mcp.cheatcodes.addresses import CHEATCODES, STUB, STUB_HASH
from echidna_mcp.evm.backend import BackendConfig, Message, Watch
from echidna_mcp.evm.cheat_settings import CheatSettings

ASKING, SAME_CODE = 0xA1, 0xA2


@pytest.mark.parametrize("mode", [REFERENCE, "compiled", "checked"])
def test_a_contract_with_the_code_of_the_stub_has_the_hash_of_that_code(mode: str):
    evm = named(mode).create(BackendConfig(cheats=CheatSettings(dialect="foundry")))
    evm.set_account(SAME_CODE, code=STUB)
    evm.set_account(
        ASKING,
        code=assemble(
            f"{CHEATCODES:#x} EXTCODEHASH PUSH0 SSTORE",
            f"{SAME_CODE:#x} EXTCODEHASH 0x1 SSTORE",
        ),
    )
    evm.call(Message(sender=0x10000, to=ASKING, data=b""))
    own = keccak(STUB)
    assert evm.storage(ASKING, 0) == STUB_HASH
    assert evm.storage(ASKING, 1) == int.from_bytes(own)
    visited = evm.call(
        Message(sender=0x10000, to=SAME_CODE, data=b""), Watch(coverage=True)
    )
    assert [visit.code_hash for visit in visited.visits] == [own]
    assert evm.code_of_hash(own) == STUB
