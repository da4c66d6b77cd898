from __future__ import annotations

import time
from dataclasses import replace

import pytest
from eth_abi import encode
from eth_hash.auto import keccak
from hypothesis import given
from hypothesis import strategies as st
from py_evm_runner import TARGET, Runner
from solc import compile_solidity

from echidna_mcp.demo import load_demo
from echidna_mcp.program.identity import CodeIndex
from echidna_mcp.program.model import Contract, Program
from echidna_mcp.program.sourcemap import metadata_start

IMMUTABLE = """
contract Twin { uint immutable a; address immutable b;
    constructor(uint x, address y) { a = x; b = y; }
    function get() external view returns (uint, address) { return (a, b); } }
contract Other { function get() external pure returns (uint) { return 7; } }
contract Factory {
    function make(uint x) external { new Twin(x, address(this)); } }
"""


def key_of(program: Program, code: bytes) -> str:
    return CodeIndex(program).key(keccak(code), code)


def program_of(*contracts: Contract, main: int = 0) -> Program:
    return Program(contracts=contracts, main=contracts[main].qualified_name)


def contract_of(name: str, runtime: bytes, creation: bytes = b"\x60\x00") -> Contract:
    return Contract(
        name=name, source="A.sol", abi=(), creation_code=creation, runtime_code=runtime
    )


@pytest.mark.solc
def test_immutables_and_constructor_arguments_do_not_matter():
    program = compile_solidity(IMMUTABLE, "Twin")
    runner = Runner(program, encode(["uint256", "address"], [123456, "0x" + "ab" * 20]))
    deployed = runner.backend.code(TARGET)
    assert deployed != program.main_contract.runtime_code
    assert key_of(program, deployed) == "Test.sol:Twin/runtime"
    assert set(runner.covered) == {"Test.sol:Twin/create"}


@pytest.mark.solc
def test_contracts_made_by_a_factory_are_recognised():
    runner = Runner(compile_solidity(IMMUTABLE, "Factory"))
    runner.call("make(uint256)", encode(["uint256"], [77]))
    assert set(runner.covered) == {
        "Test.sol:Factory/create",
        "Test.sol:Factory/runtime",
        "Test.sol:Twin/create",
    }


@pytest.mark.solc
def test_metadata_does_not_matter():
    first = compile_solidity(IMMUTABLE, "Twin")
    second = compile_solidity(IMMUTABLE + "// a comment changes the metadata", "Twin")
    code = second.main_contract.runtime_code
    assert code != first.main_contract.runtime_code
    assert key_of(first, code) == "Test.sol:Twin/runtime"
    creation = second.main_contract.creation_code + bytes(64)
    assert key_of(first, creation) == "Test.sol:Twin/create"


@given(st.data())
def test_one_changed_byte_outside_of_immutables_is_other_code(data: st.DataObject):
    program = load_demo()
    code = bytearray(program.main_contract.runtime_code)
    at = data.draw(st.integers(0, metadata_start(bytes(code)) - 1))
    code[at] ^= data.draw(st.integers(1, 255))
    assert key_of(program, bytes(code)) == f"0x{keccak(bytes(code)).hex()}"


def test_a_longer_code_is_not_the_runtime_code():
    program = load_demo()
    code = program.main_contract.runtime_code + b"\x00"
    assert key_of(program, code).startswith("0x")


def test_of_equal_contracts_the_main_one_then_the_first_name_wins():
    code = b"\x60\x01\x60\x02"
    a, b, c = (contract_of(name, code) for name in "ABC")
    assert key_of(program_of(a, b, c, main=1), code) == "A.sol:B/runtime"
    other = contract_of("M", b"\x00")
    assert key_of(program_of(a, b, other, main=2), code) == "A.sol:A/runtime"


def test_exact_metadata_decides_between_contracts_that_differ_in_nothing_else():
    def tail(byte: str) -> bytes:
        return bytes.fromhex("a165627a7a72305820" + byte * 32 + "0029")

    code = b"\x60\x01\x60\x02"
    first = contract_of("A", code + tail("aa"))
    second = contract_of("B", code + tail("bb"))
    program = program_of(first, second)
    assert key_of(program, second.runtime_code) == "A.sol:B/runtime"
    assert key_of(program, code + tail("cc")) == "A.sol:A/runtime"


def test_of_creation_codes_the_longest_that_fits_wins():
    short = contract_of("A", b"", b"\x60\x00\x60\x00")
    long = contract_of("B", b"", b"\x60\x00\x60\x00\x60\x00")
    code = long.creation_code + b"\x01"
    assert key_of(program_of(short, long), code) == "A.sol:B/create"


def test_appended_immutables_do_not_matter():
    vyper = replace(contract_of("V", b"\x60\x01\x00"), appended_immutables=32)
    program = program_of(vyper)
    assert key_of(program, vyper.runtime_code + b"\x2a" * 32) == "A.sol:V/runtime"
    assert key_of(program, vyper.runtime_code + b"\x2a" * 31).startswith("0x")
    assert key_of(program, vyper.runtime_code).startswith("0x")


def test_unknown_code_has_the_same_key_every_time():
    index = CodeIndex(load_demo())
    keys = {index.key(keccak(b"\xfe"), b"\xfe") for _ in range(3)}
    assert keys == {f"0x{keccak(bytes([0xFE])).hex()}"}


def test_a_known_hash_is_answered_from_memory():
    index = CodeIndex(load_demo())
    code = load_demo().main_contract.runtime_code
    code_hash = keccak(code)
    index.key(code_hash, code)
    start = time.thread_time()  # what others do meanwhile does not count
    for _ in range(10_000):
        index.key(code_hash, code)
    assert (time.thread_time() - start) / 10_000 < 5e-6
