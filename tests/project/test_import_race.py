"""Threads of a campaign run precompiles while the main thread imports the reference.

Each test asks fresh interpreters: what is imported once is never imported again.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SUPPORT = Path(__file__).parents[1] / "support"

RACE = """
import importlib.abc, importlib.machinery, sys, threading, time

sys.path.insert(0, {support!r})
from echidna_mcp.evm.backend import BackendConfig, Message
from echidna_mcp.plugins.manager import PluginManager
from precompile_inputs import GOOD

NUMBERS, THREADS = {numbers!r}, 4
config = BackendConfig(fork="prague")
backends = PluginManager.load().backends
machines = [backends["native"].create(config) for _ in range(THREADS)]


class Slow(importlib.abc.MetaPathFinder):
    # Imports of py-evm's parts are slow and let others have their turn, as they are
    # and do on a busy machine.
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("eth", "eth_keys", "py_ecc", "ckzg"):
            time.sleep({delay})
        return None


sys.meta_path.insert(0, Slow())
sys.setswitchinterval(1e-5)
start, outputs, failures = threading.Barrier(THREADS + 1), {{}}, []


def ask(worker):
    start.wait()
    try:
        for number in NUMBERS:
            message = Message(sender=1, to=number, data=GOOD[number], gas=10**6)
            result = machines[worker].call(message)
            outputs[worker, number] = result.status, result.output, result.gas_used
    except BaseException as error:
        failures.append(repr(error))


threads = [threading.Thread(target=ask, args=(each,)) for each in range(THREADS)]
for each in threads:
    each.start()
start.wait()
try:
    reference = backends["py-evm"].create(config)
except BaseException as error:
    failures.append(repr(error))
for each in threads:
    each.join()
assert not failures, failures
for number in NUMBERS:
    message = Message(sender=1, to=number, data=GOOD[number], gas=10**6)
    expected = reference.call(message)
    expected = expected.status, expected.output, expected.gas_used
    for worker in range(THREADS):
        assert outputs[worker, number] == expected, (number, worker)
print("same")
"""


def race(numbers: tuple[int, ...], delay: float) -> None:
    code = RACE.format(support=str(SUPPORT), numbers=numbers, delay=delay)
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.stdout == "same\n", done.stderr


@pytest.mark.parametrize("repetition", range(3))
def test_the_first_ecrecover_while_the_reference_is_imported(repetition: int) -> None:
    race((1,), 0.0)


@pytest.mark.parametrize("number", [0x1, 0x5, 0x8, 0xA, 0xF])
def test_a_first_precompile_while_the_reference_is_imported_slowly(number: int) -> None:
    race((number,), 0.002)
