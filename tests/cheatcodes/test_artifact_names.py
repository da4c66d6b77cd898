"""`getCode` and `getDeployedCode`: which contract a name means."""

from __future__ import annotations

import pytest
from cheat_answers import ask, new_cheats, refusal

from echidna_mcp.evm.outside import Answers, Outside, Reply, Request

ARTIFACTS = (
    ("src/Token.sol:Token", b"\x01", b"\x11"),
    ("src/Token.sol:Other", b"\x02", b"\x12"),
    ("src/Vault.sol:Vault", b"\x03", b"\x13"),
    ("test/mocks/Vault.sol:Vault", b"\x04", b"\x14"),
    ("src/IToken.sol:IToken", b"", b""),
)
CHEATS = new_cheats(artifacts=ARTIFACTS)


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("Token", "1"),
        ("Other", "2"),
        ("Token.sol:Token", "1"),
        ("src/Token.sol:Other", "2"),
        ("src/Vault.sol", "3"),
        ("./src/Vault.sol:Vault", "3"),
        ("mocks/Vault.sol:Vault", "4"),
        ("test/mocks/Vault.sol", "4"),
    ],
)
def test_a_name_means_a_contract(name, number):
    assert ask(CHEATS, "getCode(string)", name) == [f"0x0{number}"]
    assert ask(CHEATS, "getDeployedCode(string)", name) == [f"0x1{number}"]


@pytest.mark.parametrize("name", ["Vault", "Vault.sol", "Vault.sol:Vault", "Token.sol"])
def test_a_name_of_several_contracts_is_refused(name):
    assert "multiple matching artifacts" in refusal(CHEATS, "getCode(string)", name)


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("", "out/.sol/.json"),
        ("Nobody", "out/Nobody.sol/Nobody.json"),
        ("./oken.sol:Token", "out/oken.sol/Token.json"),
        ("src/Token.sol:Vault", "out/src/Token.sol/Vault.json"),
        ("src/No.t.sol", "out/src/No.t.sol/src/No.t.json"),
    ],
)
def test_a_name_of_no_contract_is_refused(name, path):
    assert refusal(CHEATS, "getCode(string)", name) == (
        f"vm.getCode: the path {path} is not allowed to be accessed for read operations"
    )


def test_an_interface_has_no_code():
    for signature in ("getCode(string)", "getDeployedCode(string)"):
        assert "no bytecode for contract" in refusal(CHEATS, signature, "IToken")


def test_forms_that_are_not_known_are_refused_by_name():
    cheats = new_cheats(artifacts=ARTIFACTS)
    assert ask(cheats, "getCode(string)", "Token:0.8.20") is None
    (refused,) = cheats.refusals
    assert refused.cheatcode == "getCode(string)"
    assert refused.reason.startswith("does not work with the version of a compiler yet")


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ('{"bytecode": {"object": "0x0102"}}', "0x0102"),
        ('{"bytecode": "0x0102"}', "0x0102"),
        ('{"bytecode": {"object": "0x__$1234$__"}}', None),
        ('{"bytecode": "0x"}', None),
        ("[]", None),
        ("no JSON", None),
    ],
)
def test_the_path_of_an_artifact_means_what_is_in_it(content, code):
    request = Request(kind="file", arguments=("out/A.json",))
    reply = Reply(values=(b"/project/out/A.json", content.encode()))
    cheats = new_cheats(outside=Outside(Answers([(request, reply)])))
    if code is not None:
        assert ask(cheats, "getCode(string)", "out/A.json") == [code]
    else:
        assert refusal(cheats, "getCode(string)", "out/A.json") in {
            "vm.getCode: no bytecode for contract; is it abstract or unlinked?",
            "vm.getCode: no matching artifact found",
        }


def test_a_path_that_may_not_be_read_is_refused_as_forge_does():
    request = Request(kind="file", arguments=("out/A.json",))
    text = "the path out/A.json is not allowed to be accessed for read operations"
    reply = Reply(error=text, refusal="reads out/A.json.")
    cheats = new_cheats(outside=Outside(Answers([(request, reply)])))
    assert refusal(cheats, "getCode(string)", "out/A.json") == f"vm.getCode: {text}"
    assert cheats.refused == {"getCode(string)": "reads out/A.json."}
