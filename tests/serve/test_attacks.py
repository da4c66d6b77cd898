"""Clients that want to harm the server, while another one is served all the time."""

from __future__ import annotations

import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from live_server import STOP_SECONDS, LiveServer, RawClient, live_server, until
from memory_use import MIB, resident_bytes

pytestmark = pytest.mark.servers

GROWTH = 64 * MIB
"""What the server may keep of an attack: buffers that Python does not give back."""

JSON = "Content-Type: application/json"
ACCEPT = "Accept: application/json, text/event-stream"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    directory = tmp_path_factory.mktemp("attacks") / "corpus"
    with live_server(directory, "--executor", "threads:1") as server:
        yield server


@contextmanager
def good_client_served(server: LiveServer) -> Iterator[None]:
    """Call a tool all the time; fail if one call does, or if memory grows."""
    failures: list[str] = []
    answers = 0
    done = threading.Event()

    def ask() -> None:
        nonlocal answers
        while not done.wait(0.02):
            try:
                with RawClient(server.url) as client:
                    client.call("get_corpus_size")
                answers += 1
            except (OSError, AssertionError, ValueError) as error:
                failures.append(repr(error))

    with RawClient(server.url) as client:
        client.call("get_corpus_size")
    before = resident_bytes(server.process.pid)
    thread = threading.Thread(target=ask)
    thread.start()
    try:
        yield
        until(lambda: answers > 2 or bool(failures), "the good client to be served")
    finally:
        done.set()
        thread.join()
    assert not failures, failures[:3]
    assert answers > 2
    assert resident_bytes(server.process.pid) - before < GROWTH


def connect(server: LiveServer) -> socket.socket:
    parts = urlsplit(server.url)
    address = parts.hostname or "", parts.port or 0
    return socket.create_connection(address, STOP_SECONDS)


def head(*headers: str, path: str = "/mcp", host: str = "127.0.0.1") -> bytes:
    lines = [f"POST {path} HTTP/1.1", f"Host: {host}", JSON, ACCEPT, *headers]
    return "\r\n".join([*lines, "", ""]).encode()


def answer(connection: socket.socket) -> bytes:
    """Return what the server says until it closes, or all of one answer."""
    data = b""
    with suppress(ConnectionResetError):
        while chunk := connection.recv(1 << 16):
            data += chunk
            start, _, body = data.partition(b"\r\n\r\n")
            length = [
                int(line.split(b":")[1])
                for line in start.lower().split(b"\r\n")
                if line.startswith(b"content-length:")
            ]
            if length and len(body) >= length[0]:
                break
    return data


def status(connection: socket.socket) -> int:
    return int(answer(connection).split(b" ", 2)[1] or 0)


def say(server: LiveServer, request: bytes) -> int:
    with connect(server) as connection:
        connection.sendall(request)
        return status(connection)


def post(server: LiveServer, body: bytes) -> int:
    return say(server, head(f"Content-Length: {len(body)}") + body)


@pytest.mark.parametrize("path", ["/mcp", "/sse", "/messages/", "/healthz", "/"])
def test_foreign_names_are_refused(server: LiveServer, path: str) -> None:
    with good_client_served(server):
        for host in ("evil.example", "127.0.0.1.evil.example", "127.0.0.1@evil", ""):
            assert say(server, head("Content-Length: 0", path=path, host=host)) == 421
        for origin in ("http://evil.example", "null", "file://", "https://127.0.0.1.x"):
            request = head("Content-Length: 0", f"Origin: {origin}", path=path)
            assert say(server, request) == 403


def test_stalled_bodies_do_not_keep_others_out(server: LiveServer) -> None:
    with good_client_served(server), ExitStack() as stack:
        stalled = []
        for _ in range(300):
            connection = stack.enter_context(connect(server))
            connection.sendall(head("Content-Length: 500000") + b'{"jsonrpc":')
            stalled.append(connection)
        for connection in stalled:
            assert status(connection) == 408
            assert answer(connection) == b""


def test_opened_and_dropped_connections_leave_nothing(server: LiveServer) -> None:
    descriptors = Path(f"/proc/{server.process.pid}/fd")
    before = len(list(descriptors.iterdir()))
    reset = struct.pack("ii", 1, 0)
    with good_client_served(server):
        for number in range(10_000):
            connection = connect(server)
            if number % 3 == 1:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, reset)
            elif number % 3 == 2:
                connection.sendall(b"POST /mcp HTTP/1.1\r\nHost: 127")
            connection.close()
    until(
        lambda: len(list(descriptors.iterdir())) <= before + 5,
        "descriptors to be closed",
    )


def test_silent_connections_do_not_keep_others_out(server: LiveServer) -> None:
    with good_client_served(server), ExitStack() as stack:
        for _ in range(450):
            connection = stack.enter_context(connect(server))
            connection.sendall(b"GET")
        time.sleep(2)


@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_of_100_megabytes_is_refused(server: LiveServer, chunked: bool) -> None:
    chunk = b"x" * MIB
    how = "Transfer-Encoding: chunked" if chunked else f"Content-Length: {100 * MIB}"
    with good_client_served(server), connect(server) as connection:
        connection.sendall(head(how))
        with suppress(BrokenPipeError, ConnectionResetError):
            for _ in range(100):
                piece = b"%x\r\n%s\r\n" % (MIB, chunk) if chunked else chunk
                connection.sendall(piece)
        assert answer(connection)[9:12] in (b"413", b"")


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 1_000_000,
        b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_logs",'
        b'"arguments":' + b'{"a":' * 5_000 + b"1" + b"}" * 5_000 + b"}}",
        b'{"jsonrpc":"2.0","id":1,"method":"\xff\xfe"}',
        b"\xc3\x28" * 1000,
        b"\x00" * 1000,
        b'{"jsonrpc":"2.0","id":' + b"9" * 100_000 + b"}",
        b'"' + b"\\u0000" * 100_000 + b'"',
        b"",
    ],
    ids=[
        *("brackets", "objects", "arguments", "utf-8", "pairs", "zeros"),
        *("number", "escapes", "nothing"),
    ],
)
def test_what_is_no_message_is_a_bad_request(server: LiveServer, body: bytes) -> None:
    with good_client_served(server):
        assert post(server, body) == 400


@pytest.mark.parametrize(
    "headers",
    [
        [f"X-{number}: {number}" for number in range(20_000)],
        ["X: " + "y" * 2_000_000],
        ["X" * 200_000 + ": y"],
        ["no colon at all"],
        ["Host: 127.0.0.1"],
        ["Content-Length: 5", "Content-Length: 6"],
        ["Content-Length: -1"],
        ["Transfer-Encoding: gzip"],
    ],
    ids=[
        *("many", "long", "long name", "malformed", "two hosts", "two lengths"),
        *("negative", "encoding"),
    ],
)
def test_bad_headers_end_the_connection(server: LiveServer, headers: list[str]) -> None:
    with good_client_served(server), connect(server) as connection:
        with suppress(BrokenPipeError, ConnectionResetError):
            connection.sendall(head(*headers))
        code = answer(connection)[9:12]
        assert code == b"" or 400 <= int(code) < 600


@pytest.mark.parametrize(
    "path",
    [
        *("/etc/cron.d/x.txt", "../x.txt", "a/../../x.txt", "..", ".", "", "a\0.txt"),
        *("//x.txt", "~/x.txt/../../x.txt", "campaign.db", "mcp-commands.jsonl"),
        *("\\..\\x.sh", "a" * 5000 + ".txt", "x.db", "sub/../../corpus.txt"),
    ],
)
def test_reports_stay_inside_the_corpus_directory(
    server: LiveServer, path: str
) -> None:
    outside = server.directory.parent
    before = sorted(outside.iterdir())
    with good_client_served(server), RawClient(server.url) as client:
        code, given = client.send("dump_lcov", {"outputPath": path})
    assert code == 200
    assert given["result"]["isError"], given
    assert "INVALID_INPUT" in given["result"]["content"][0]["text"]
    assert sorted(outside.iterdir()) == before


def test_a_token_is_needed_on_every_route(tmp_path: Path) -> None:
    secret = "correct-horse-battery-staple"
    file = tmp_path / "token"
    file.write_text(secret + "\n")
    file.chmod(0o600)
    wrong = ["", f"{secret}x", secret[:-1], "Bearer", secret.upper(), "\xff"]
    with live_server(
        tmp_path / "corpus", "--token-file", file, "--executor", "threads:1"
    ) as server:
        for path in ("/mcp", "/sse", "/messages/", "/nowhere"):
            assert say(server, head("Content-Length: 0", path=path)) == 401
            for token in wrong:
                header = f"Authorization: Bearer {token}"
                request = head("Content-Length: 0", header, path=path)
                assert say(server, request) == 401
        header = f"Authorization: Bearer {secret}"
        assert say(server, head("Content-Length: 2", header) + b"{}") == 400
        assert secret not in server.stderr


def test_clients_that_do_not_read_do_not_keep_others_out(server: LiveServer) -> None:
    call = (
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call",'
        b'"params":{"name":"read_logs","arguments":{"count":2500}}}'
    )
    version = "MCP-Protocol-Version: 2025-06-18"
    request = head(version, f"Content-Length: {len(call)}") + call
    with ExitStack() as stack:
        for _ in range(300):
            deaf = stack.enter_context(connect(server))
            deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            with suppress(BlockingIOError, ConnectionError):
                deaf.setblocking(False)
                deaf.sendall(request)
        for _ in range(40):
            with RawClient(server.url) as client:
                client.call("get_corpus_size")
