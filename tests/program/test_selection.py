from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from echidna_mcp.errors import TargetError
from echidna_mcp.program.compiler import CompileRequest
from echidna_mcp.program.main_contract import choose_main
from echidna_mcp.program.model import Contract

TEST = {"type": "function", "name": "echidna_ok", "inputs": []}
PLAIN = {"type": "function", "name": "f", "inputs": []}
WITH_ARGUMENTS = {"type": "constructor", "inputs": [{"name": "x", "type": "uint256"}]}
USERS = (("One", b"1"), ("Two", b"22"))
LIBRARY = b"\x73" + bytes(20) + b"\x30\x14\x60\x80"


def contract(
    path: str,
    name: str,
    *abi: dict[str, object],
    code: bytes = b"\x00",
    runtime=b"\x00",
) -> Contract:
    return Contract(
        name=name, source=path, abi=abi, creation_code=code, runtime_code=runtime
    )


def choose(*contracts: Contract, name: str | None = None, **options: Any) -> str:
    request = CompileRequest(target=Path("T.sol"), contract=name)
    return choose_main(contracts, request, **options)


def test_where_no_rule_decides_a_name_is_asked_for():
    contracts = (contract("b", "A"), contract("a", "Z"), contract("a", "A"))
    with pytest.raises(
        TargetError, match=r"T\.sol has several .*: Z, a:A, b:A; .* --contract"
    ):
        choose(*contracts)
    tested = [contract("a", name, TEST) for name in "XY"]
    with pytest.raises(TargetError, match="could be fuzzed: X, Y;"):
        choose(*tested, contract("a", "Z"))


def test_what_inherits_or_creates_others_comes_before_them():
    token = contract("a", "Token", code=b"token")
    test = contract("a", "Test", code=b"deploys token.")
    assert choose(token, test) == "a:Test"
    base, derived = contract("a", "Base"), contract("a", "Derived", WITH_ARGUMENTS)
    assert choose(base, derived, bases={"a:Derived": ["a:Base"]}) == "a:Derived"


def test_what_nobody_uses_is_not_enough_if_there_are_two():
    token = contract("a", "Token", code=b"token")
    users = [contract("a", name, code=b"deploys token " + code) for name, code in USERS]
    with pytest.raises(TargetError, match="could be fuzzed: One, Two;"):
        choose(token, *users)


def test_folders_for_tests_come_before_what_they_test():
    contracts = (
        contract("src/Vault.sol", "Vault"),
        contract("test/recon/CryticTester.sol", "CryticTester"),
    )
    assert choose(*contracts) == "test/recon/CryticTester.sol:CryticTester"
    inside = contract("src/Checked.sol", "Checked", TEST)
    assert choose(*contracts, inside) == "src/Checked.sol:Checked"


def test_what_has_nothing_to_call_is_no_target():
    assert choose(contract("a", "A"), contract("a", "B", PLAIN)) == "a:B"


def test_the_user_is_told_what_else_there_was():
    told: list[str] = []
    request = CompileRequest(target=Path(), tell=told.append)
    choose_main([contract("a", "A", TEST), contract("b", "B", PLAIN)], request)
    assert told == ["a:A is fuzzed; --contract chooses another: B."]
    choose_main([contract("a", "A", TEST), contract("a", "B")], request)
    assert len(told) == 1, "one file is seen at a glance"


def test_a_great_many_are_not_compared():
    many = [contract("a", f"C{i}", code=bytes(i + 1)) for i in range(201)]
    with pytest.raises(TargetError, match=r"C0, C1, .*, …; name one"):
        choose(*many)


def test_a_contract_with_a_test_is_preferred():
    assert choose(contract("a", "A", PLAIN), contract("a", "B", TEST)) == "a:B"


def test_the_prefix_of_the_request_counts():
    request = CompileRequest(target=Path("T.sol"), prefix="test_")
    other = {"type": "function", "name": "test_x"}
    found = choose_main([contract("a", "A", TEST), contract("a", "B", other)], request)
    assert found == "a:B"


def test_contracts_of_the_target_are_preferred_to_imported_ones():
    contracts = (contract("a", "A", TEST), contract("t", "T", PLAIN))
    assert choose(*contracts, entries=["t"]) == "t:T"


def test_constructors_with_arguments_come_last():
    assert choose(contract("a", "A", WITH_ARGUMENTS), contract("a", "B")) == "a:B"
    assert choose(contract("a", "A", WITH_ARGUMENTS)) == "a:A"


def test_interfaces_and_libraries_are_never_chosen():
    contracts = (
        contract("a", "A", TEST, code=b""),
        contract("a", "B", TEST, runtime=LIBRARY),
        contract("a", "C", TEST),
        contract("a", "D"),
    )
    assert choose(*contracts, libraries=["a:C"]) == "a:D"


def test_given_name_and_path():
    contracts = (contract("src/a.sol", "A"), contract("src/b.sol", "A"))
    assert choose(*contracts, name="src/b.sol:A") == "src/b.sol:A"
    assert choose(*contracts, name="b.sol:A") == "src/b.sol:A"
    assert choose(*contracts, name="./src/b.sol:A") == "src/b.sol:A"
    assert choose(contracts[1], name="A") == "src/b.sol:A"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("A", "several contracts 'A'; choose from src/a.sol:A, src/b.sol:A"),
        ("Tokn", "no contract 'Tokn'; did you mean Token"),
        ("Xyz", "no contract 'Xyz'; there are: A, Token"),
        ("c.sol:A", "no contract 'c.sol:A'; did you mean A"),
        ("IToken", "'IToken' can't be deployed"),
    ],
)
def test_name_that_means_nothing_is_explained(name: str, message: str):
    contracts = (
        contract("src/a.sol", "A"),
        contract("src/b.sol", "A"),
        contract("src/b.sol", "Token"),
        contract("src/b.sol", "IToken", code=b""),
    )
    with pytest.raises(TargetError, match=message.replace("(", r"\(")):
        choose(*contracts, name=name)


def test_nothing_to_deploy_is_explained():
    with pytest.raises(TargetError, match="only interfaces"):
        choose(contract("a", "I", code=b""))
    with pytest.raises(TargetError, match="defines no contract"):
        choose()
