"""Starting and stopping the HTTP server."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import signal
import socket
import subprocess
import sys
import threading
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx2
import pluggy
import pytest
from loop_time import PATIENCE, loop_time, until
from mcp import Client
from mcp.client.sse import sse_client

from echidna_mcp.catalogue.transport import HttpTransport, StdioTransport
from echidna_mcp.errors import UsageError
from echidna_mcp.plugins.hookspecs import GROUP, Hooks
from echidna_mcp.server.http import HttpServer
from echidna_mcp.tools.principal import LOCAL
from echidna_mcp_plugins.transports import http, sse, stdio

pytestmark = pytest.mark.servers

ACCEPT = {"Accept": "application/json, text/event-stream"}
MINUTE = {"milliseconds": 60_000}


def open_files() -> set[str]:
    """What this process holds open, sockets by their inode."""
    links = set()
    for entry in Path("/proc/self/fd").iterdir():
        # The listing itself is open while it is made.
        with contextlib.suppress(FileNotFoundError):
            links.add(f"{entry.name} {entry.readlink()}")
    return links


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="needs procfs")
async def test_thirty_lives_leave_no_task_file_or_thread(serve):
    async def live() -> None:
        async with serve() as server, httpx2.AsyncClient() as client:
            assert (await client.get(server.url)).status_code == 405
            body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
            listed = await client.post(server.url, json=body, headers=ACCEPT)
            assert "count_words" in listed.text
            async with client.stream("GET", server.urls["sse"]) as stream:
                assert stream.status_code == 200
                server.stop()
                await stream.aread()

    await live()
    gc.collect()
    files, threads = open_files(), threading.enumerate()
    for _ in range(30):
        await live()
        assert asyncio.all_tasks() == {asyncio.current_task()}
    gc.collect()
    assert open_files() <= files
    assert set(threading.enumerate()) <= set(threads)


async def test_a_stop_lets_a_call_finish(serve, begun):
    body = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "wait", "arguments": {"milliseconds": 500}},
    }
    async with serve() as server, httpx2.AsyncClient() as client:
        call = asyncio.create_task(client.post(server.url, json=body, headers=ACCEPT))
        await until(lambda: begun == [500])
        server.stop()
        assert '"structuredContent":{"waited":500}' in (await call).text


async def test_a_stop_lets_a_request_arrive_that_is_on_its_way(serve):
    head, separator, body = ask_for(10).partition(b"\r\n\r\n")
    async with serve() as server:
        port = int(server.url.split(":")[2].split("/")[0])
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        guard = server._listener._guard
        writer.write(head + separator)
        await until(lambda: len(guard._uploads) == 1)
        server.stop()
        await until(guard._closing.is_set)
        writer.write(body)
        answer = await asyncio.wait_for(reader.read(), PATIENCE)
        writer.close()
    assert answer.startswith(b"HTTP/1.1 200 ")
    assert b'"words":1' in answer


async def test_a_stop_takes_less_than_two_seconds_whatever_clients_do(
    serve, begun, caplog
):
    async with AsyncExitStack() as stack:
        async with serve() as server:
            port = int(server.url.split(":")[2].split("/")[0])

            async def connect() -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
                connection = await asyncio.open_connection("127.0.0.1", port)
                stack.callback(connection[1].close)
                return connection

            half = await connect()
            half[1].write(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Le")
            body = await connect()
            body[1].write(
                b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{"
            )
            stream = await connect()
            stream[1].write(b"GET /sse HTTP/1.1\r\nHost: localhost\r\n\r\n")
            # A client that asks for much and reads nothing.
            deaf = await connect()
            for _ in range(40):
                deaf[1].write(ask_for(2**17))
            async with asyncio.TaskGroup() as group:
                group.create_task(cut_off(server.url, "auto"))
                group.create_task(cut_off(sse_client(server.urls["sse"]), "legacy"))
                await until(lambda: begun == [60_000, 60_000])
                await asyncio.sleep(0.5)
                time = await stack.enter_async_context(loop_time())
                server.stop()
                assert await asyncio.wait_for(half[0].read(), PATIENCE) == b""
                refusal = await asyncio.wait_for(body[0].read(), PATIENCE)
                assert refusal.startswith(b"HTTP/1.1 503 ")
                last = await asyncio.wait_for(stream[0].read(), PATIENCE)
                assert last.endswith(b"0\r\n\r\n")
        assert time.seconds < 2
        assert "Traceback" not in caplog.text
        await until(lambda: not server._listener.server_state.connections)


def ask_for(size: int) -> bytes:
    """Call a tool that answers with as many bytes, and more."""
    params = {"name": "count_words", "arguments": {"text": "x" * size}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    body = json.dumps(message).encode()
    head = f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}"
    more = f"Content-Type: application/json\r\nAccept: {ACCEPT['Accept']}"
    return f"{head}\r\n{more}\r\n\r\n".encode() + body


async def cut_off(target: Any, mode: Any) -> None:
    """Make a call that can't end before the server stops."""
    with pytest.raises(BaseException) as caught:
        async with Client(target, mode=mode, read_timeout_seconds=3) as client:
            await client.call_tool("wait", MINUTE)
    assert not isinstance(caught.value, AssertionError)


async def test_a_cancelled_server_cleans_up(sample_catalogue):
    server = HttpServer([*http.register_transports(), *sse.register_transports()])
    ready = asyncio.Event()
    task = asyncio.create_task(server.serve(sample_catalogue, lambda _url: ready.set()))
    await ready.wait()
    async with (
        httpx2.AsyncClient() as client,
        client.stream("GET", server.urls["sse"]) as stream,
    ):
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await stream.aread()
    assert asyncio.all_tasks() == {asyncio.current_task()}
    port = int(server.url.split(":")[2].split("/")[0])
    again = HttpServer(http.register_transports(), port=port)
    assert again.bind() == server.url
    again.close()


async def test_a_stop_before_the_start_is_obeyed(sample_catalogue):
    server = HttpServer(http.register_transports())
    server.stop()
    await asyncio.wait_for(server.serve(sample_catalogue), PATIENCE)


async def test_signal_handlers_of_the_program_stay_in_place(serve):
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.getsignal(number) for number in numbers]
    async with serve():
        assert [signal.getsignal(number) for number in numbers] == before


async def test_the_port_is_held_from_bind_on(sample_catalogue):
    server = HttpServer(http.register_transports())
    url = server.bind()
    port = int(url.removeprefix("http://127.0.0.1:").removesuffix("/mcp"))
    assert port > 0
    assert server.bind() == url
    with pytest.raises(UsageError, match=rf"^Port {port} on .* --port 0 .*\.$"):
        HttpServer(http.register_transports(), port=port).bind()
    server.close()
    first = HttpServer(http.register_transports(), port=port)
    ready = asyncio.Event()
    task = asyncio.create_task(first.serve(sample_catalogue, lambda _url: ready.set()))
    await asyncio.wait_for(ready.wait(), PATIENCE)
    with pytest.raises(UsageError, match=f"Port {port} "):
        await HttpServer(http.register_transports(), port=port).serve(sample_catalogue)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org"])
def test_other_machines_need_a_token(sample_catalogue, host):
    transports = http.register_transports()
    with pytest.raises(UsageError, match=f"{host} .* token"):
        HttpServer(transports, host=host)
    with pytest.raises(UsageError, match="token"):
        HttpServer(transports, host=host, tokens={})
    HttpServer(transports, host=host, tokens={"t": LOCAL})


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.9", "::1", "localhost"])
def test_this_machine_needs_no_token(sample_catalogue, host):
    # It raises if it wants one.
    assert HttpServer(http.register_transports(), host=host).pages == {}


def test_a_server_on_all_addresses_names_one_that_works(sample_catalogue):
    transports = http.register_transports()
    server = HttpServer(transports, host="0.0.0.0", tokens={"t": LOCAL})
    url = server.bind()
    server.close()
    assert url.startswith("http://127.0.0.1:")


@pytest.mark.skipif(not socket.has_ipv6, reason="needs IPv6")
async def test_ipv6_is_served(serve):
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("no IPv6 loopback here")
    async with serve(host="::1") as server, Client(server.url) as client:
        assert server.url.startswith("http://[::1]:")
        assert not (await client.call_tool("items")).is_error


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"port": 70_000}, "Port 70000 does not exist"),
        ({"port": -1}, "Port -1 does not exist"),
        ({"host": "192.0.2.1", "tokens": {"t": LOCAL}}, "not an address of ours"),
        ({"host": "nowhere.invalid", "tokens": {"t": LOCAL}}, "not an address of ours"),
    ],
)
def test_an_impossible_address_is_named(sample_catalogue, options, words):
    server = HttpServer(http.register_transports(), **options)
    with pytest.raises(UsageError, match=words):
        server.bind()


def test_a_server_without_transports_is_refused(sample_catalogue):
    with pytest.raises(UsageError, match="--transport stdio"):
        HttpServer([])


def test_each_plugin_registers_its_transport():
    manager = pluggy.PluginManager(GROUP)
    manager.add_hookspecs(Hooks)
    for plugin in (http, sse, stdio):
        manager.register(plugin)
    found = [one for some in manager.hook.register_transports() for one in some]
    by_name = {one.name: one for one in found}
    assert sorted(by_name) == ["http", "sse", "stdio"]
    assert isinstance(by_name["http"], HttpTransport)
    assert by_name["http"].path == "/mcp"
    assert isinstance(by_name["sse"], HttpTransport)
    assert by_name["sse"].path == "/sse"
    assert isinstance(by_name["stdio"], StdioTransport)
    assert {one.family for one in found} == {"http", "stdio"}


def test_loading_the_plugins_imports_no_server():
    code = (
        "import sys\n"
        "import echidna_mcp.server.http\n"
        "from echidna_mcp_plugins.transports import http, sse, stdio\n"
        "for p in (http, sse, stdio): p.register_transports()\n"
        "slow = {'mcp', 'uvicorn', 'starlette', 'anyio', 'pydantic'}\n"
        "print(sorted(slow & set(sys.modules)))\n"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert done.stdout == "[]\n"
