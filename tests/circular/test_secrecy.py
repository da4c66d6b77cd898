"""Neither the key nor the data is in anything that a run leaves behind."""

from __future__ import annotations

import base64
import copy
import pickle

import pytest

from echidna_mcp_plugins.circular.document import Document
from echidna_mcp_plugins.circular.secret import Secret
from echidna_mcp_plugins.circular.settings import Settings
from echidna_mcp_plugins.circular.tools.certify_data import certify_data
from echidna_mcp_plugins.circular.tools.session import open_session

DATA = "The vault of Zürich opens at midnight: 4711-0815."


def forms(secret: bytes) -> list[bytes]:
    """Return how bytes may be written."""
    found = [secret, secret.hex().encode(), secret.hex().upper().encode()]
    found.append(repr(secret).encode()[2:-1])
    # A payload has the hexadecimal digits of hexadecimal digits.
    found.append(secret.hex().encode().hex().encode())
    for shift in range(3):
        # Whatever stands before it, some part of it is always the same.
        text = base64.b64encode(b"\0" * shift + secret)
        found.append(text[4 if shift else 0 : -4])
    return found


def traces(secrets: list[bytes], content: bytes) -> list[bytes]:
    return [form for secret in secrets for form in forms(secret) if form in content]


def secrets_of(key: str) -> list[bytes]:
    number = bytes.fromhex(key)
    return [number, str(int(key, 16)).encode(), key.encode(), key.upper().encode()]


@pytest.mark.parametrize(
    "content",
    [
        lambda secret: b"x" + secret,
        lambda secret: secret.hex().encode(),
        lambda secret: repr(secret).encode(),
        lambda secret: base64.b64encode(b"ab" + secret + b"yz"),
        lambda secret: pickle.dumps([secret]),
    ],
)
def test_a_trace_is_found_however_it_is_written(content, secret_of):
    for secret in (bytes.fromhex(secret_of("alice")), DATA.encode()):
        assert traces([secret], content(secret))
    assert traces([DATA.encode()], b"The vault of Bern opens at midnight") == []


async def test_a_run_in_debug_mode_leaves_no_trace_of_key_and_data(
    lab, devnet, start_program, secret_of
):
    place = lab.directory / "client"
    place.mkdir()
    file = lab.directory / "data.txt"
    file.write_text(DATA, "utf-8")
    arguments = place, devnet.discovery, file
    process = await start_program(
        "certify_in_debug.py",
        *arguments,
        environment=lab.environment(devnet.discovery),
    )
    output, errors = await process.communicate()
    assert process.returncode == 0, errors.decode()[-4000:]
    assert devnet.chain.store.wallet(lab_address(devnet)).nonce == 4

    left = {path.name: path.read_bytes() for path in place.iterdir()}
    assert {"journal.db", "everything.log"} <= set(left)
    left |= {"output": output, "errors": errors}
    # It is there what may be there, so the right places were searched.
    digest = Document(DATA).sha256.encode()
    assert digest in left["journal.db"] + left.get("journal.db-wal", b"")
    assert b"AddTransaction" in left["everything.log"]
    assert b"Traceback" in output
    assert b"[secret]" in output
    secrets = [*secrets_of(secret_of("alice")), DATA.encode()]
    assert {
        name: found
        for name, content in left.items()
        if (found := traces(secrets, content))
    } == {}


def lab_address(devnet):
    """Return the only wallet of a devnet."""
    store = devnet.chain.store
    (address,) = {
        store.transaction(each).sender
        for block in store.blocks(0, 10**9)
        for each in block.transactions
    }
    return address


async def test_signatures_in_logs_are_cut_to_eight_digits(lab, devnet, caplog):
    caplog.set_level(1)
    async with lab.client(devnet) as session:
        sent = await certify_data(session, data=DATA, network="testnet")
    identity = sent.result["transaction_id"]
    await lab.until(lambda: devnet.chain.store.transaction(identity).block, "the block")
    signature = devnet.chain.store.transaction(identity).signature
    assert f"signature {signature[:8]}…" in caplog.text
    assert signature[:9] not in caplog.text
    assert traces([DATA.encode()], caplog.text.encode()) == []


async def test_the_key_of_our_own_devnet_is_in_its_file_only(lab, caplog):
    caplog.set_level(1)
    nothing = Settings.from_environment({})
    async with open_session(nothing, lab.directory / "client") as session:
        await certify_data(session, data=DATA, network="testnet")
    key = (lab.directory / "client" / "devnet" / "wallet.key").read_text().strip()
    holders = {
        path.name
        for path in lab.directory.rglob("*")
        if path.is_file() and traces(secrets_of(key), path.read_bytes())
    }
    assert holders == {"wallet.key"}
    assert traces(secrets_of(key), caplog.text.encode()) == []


def test_a_secret_shows_itself_to_nobody_but_who_reveals_it():
    secret = Secret("swordfish")
    assert secret.reveal() == "swordfish"
    shown = [repr(secret), str(secret), f"{secret}", f"{secret!r:>20}", f"{[secret]}"]
    assert all("swordfish" not in each for each in shown)
    for serialize in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="neither copied nor pickled"):
            serialize(secret)
    assert secret == Secret("swordfish")
    assert secret != Secret("catfish")
    assert secret != "swordfish"
    assert len({secret, Secret("swordfish")}) == 1
    assert not hasattr(secret, "__dict__")
