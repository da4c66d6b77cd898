"""Precompiles in a loop of a Solidity contract, beside those of py-evm.

    python tests/bench/bench_precompiles.py

Prints the Markdown table of docs/benchmarks.md: calls per second of processor time on
the native backend, those of py-evm's function called by itself, and how many times more
two threads do than one, each with a machine of its own, in the same wall time.
"""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from eth_hash.auto import keccak

from echidna_mcp.evm.backend import BackendConfig, Message
from echidna_mcp.program.compiler import CompileRequest
from echidna_mcp_plugins.compilers.solidity.solcjs import SolcJs
from echidna_mcp_plugins.native.backend import NativeBackend

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from precompile_calls import reference
from precompile_inputs import GOOD

LOOPS = {
    "ECRECOVER": 0x1,
    "MODEXP, 32 bytes": 0x5,
    "ECADD": 0x6,
    "ECMUL": 0x7,
    "ECPAIRING, two pairs": 0x8,
    "POINT_EVALUATION": 0xA,
    "BLS12_G1MSM, two points": 0xC,
    "BLS12_PAIRING_CHECK, one pair": 0xF,
    "P256VERIFY": 0x100,
}
SOURCE = Path(__file__).parent / "PrecompileLoop.sol"
SENDER, TARGET = 0x10000, 0x20000
SECONDS = 1.0
REPEATS = 3


def compile_loop() -> bytes:
    request = CompileRequest(target=SOURCE, solc_args="--optimize")
    return SolcJs().compile(request).main_contract.creation_code


def machine(code: bytes) -> NativeBackend:
    backend = NativeBackend(BackendConfig(fork="osaka"))
    deployed = backend.deploy(
        Message(sender=SENDER, to=None, data=code, gas=10**7), address=TARGET
    )
    assert deployed.status.succeeded
    return backend


def run(backend: NativeBackend, number: int, times: int) -> None:
    data = GOOD[number]
    selector = keccak(b"run(address,uint256,bytes)")[:4]
    words = (number, times, 0x60, len(data))
    calldata = selector + b"".join(each.to_bytes(32, "big") for each in words)
    padded = data.ljust(-(-len(data) // 32) * 32, b"\0")
    message = Message(sender=SENDER, to=TARGET, data=calldata + padded, gas=2**50)
    assert backend.call(message).status.succeeded


def ours(backend: NativeBackend, number: int) -> float:
    """Return calls per second of processor time."""
    times, took = 1, 0.0
    while took < SECONDS / 4:
        times *= 2
        begin = process_time()
        run(backend, number, times)
        took = process_time() - begin
    return times / took


def theirs(number: int) -> float:
    """Return calls per second of py-evm's function, by itself."""
    times = 0
    reference(number, GOOD[number], 10**8, "osaka")  # reads the trusted setup
    begin = process_time()
    while process_time() - begin < SECONDS / 4:
        reference(number, GOOD[number], 10**8, "osaka")
        times += 1
    return times / (process_time() - begin)


def gain(backends: list[NativeBackend], number: int, times: int) -> float:
    """Return how many times more two threads do in the same wall time."""

    def work(count: int) -> float:
        arguments = ((backend, number, times) for backend in backends[:count])
        threads = [threading.Thread(target=run, args=each) for each in arguments]
        begin = perf_counter()
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        return perf_counter() - begin

    return 2 * work(1) / work(2)


def main() -> None:
    """Print the table."""
    code = compile_loop()
    backends: list[Any] = [machine(code), machine(code)]
    print("| precompile | py-evm's | ours | times faster | two threads / one |")
    print("|---|---|---|---|---|")
    for name, number in LOOPS.items():
        new = max(ours(backends[0], number) for _ in range(REPEATS))
        old = max(theirs(number) for _ in range(REPEATS))
        both = max(gain(backends, number, max(int(new / 4), 1)) for _ in range(REPEATS))
        print(f"| {name} | {old:,.0f} | {new:,.0f} | {new / old:.1f} | {both:.1f} |")


if __name__ == "__main__":
    main()
