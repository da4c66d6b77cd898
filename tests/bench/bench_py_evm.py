"""Calls a second of the py-evm backend beside unmodified py-evm, in one run.

    python tests/bench/bench_py_evm.py

The workload is `transfer` of an ERC-20 token (`token.hex`: creation code compiled by
solc 0.8.37, optimizer on, 200 runs; the deployer owns 10**30). Plain py-evm keeps all
changes; the backend goes back to a snapshot every 100 calls, as a campaign does.
"""

# The figures are its output.

from __future__ import annotations

from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING

from eth.chains.base import MiningChain
from eth.db.atomic import AtomicDB
from eth.vm.forks.cancun import CancunVM
from eth.vm.spoof import SpoofTransaction
from eth_hash.auto import keccak

from echidna_mcp.evm.backend import BackendConfig, Message, Watch
from echidna_mcp_plugins.py_evm.backend import create

if TYPE_CHECKING:
    from collections.abc import Callable

OWNER = 0x30000
TOKEN = bytes.fromhex((Path(__file__).parent / "token.hex").read_text())
TRANSFER = keccak(b"transfer(address,uint256)")[:4]
CALLS = 2000
REPEATS = 5
SEQUENCE = 100


def transfer(index: int) -> bytes:
    receiver = 0x10000 * (1 + index % 3)
    return TRANSFER + receiver.to_bytes(32, "big") + index.to_bytes(32, "big")


def plain() -> Callable[[int], None]:
    vm = (
        MiningChain.configure("Bench", vm_configuration=((0, CancunVM),), chain_id=1)
        .from_genesis(
            AtomicDB(),
            {
                "difficulty": 0,
                "gas_limit": 30_000_000,
                "timestamp": 1,
                "base_fee_per_gas": 0,
                "coinbase": bytes(20),
                "nonce": bytes(8),
                "mix_hash": bytes(32),
                "extra_data": b"",
            },
            {},
        )
        .get_vm()
    )
    state = vm.state
    state.execution_context._base_fee_per_gas = 0
    sender = OWNER.to_bytes(20, "big")

    def send(to: bytes, data: bytes) -> object:
        unsigned = vm.create_unsigned_transaction(
            nonce=state.get_nonce(sender),
            gas_price=0,
            gas=3_000_000,
            to=to,
            value=0,
            data=data,
        )
        state.lock_changes()
        result = state.apply_transaction(SpoofTransaction(unsigned, from_=sender))
        result.raise_if_error()
        return result.msg.storage_address

    token = send(b"", TOKEN)

    def call(index: int) -> None:
        send(token, transfer(index))

    return call


def backend(*, coverage: bool) -> Callable[[int], None]:
    evm = create(BackendConfig())
    token = evm.deploy(Message(sender=OWNER, to=None, data=TOKEN)).created
    start = evm.snapshot()

    def call(index: int) -> None:
        if index % SEQUENCE == 0:
            evm.restore(start)
        message = Message(sender=OWNER, to=token, data=transfer(index))
        assert evm.call(message, Watch(coverage=coverage)).status.succeeded

    return call


def microseconds(call: Callable[[int], None], calls: int) -> float:
    """Return the CPU time of a call in the best of several runs."""
    best = float("inf")
    for _ in range(REPEATS):
        start = process_time()
        for index in range(calls):
            call(index)
        best = min(best, process_time() - start)
    return best / calls * 1e6


def main() -> None:
    reference = microseconds(plain(), CALLS // 8)
    print(f"plain py-evm           {reference:8.1f} us a call")
    for coverage in (False, True):
        own = microseconds(backend(coverage=coverage), CALLS)
        label = "backend, coverage" if coverage else "backend"
        print(f"{label:<22} {own:8.1f} us a call, {reference / own:.1f} times faster")


if __name__ == "__main__":
    main()
