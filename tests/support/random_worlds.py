"""Random worlds: a few random contracts and messages to them."""

from __future__ import annotations

from collections import Counter
from random import Random

from random_programs import SLOTS, Generator
from twins import Alone, Twins

from echidna_mcp.evm.backend import (
    Authorization,
    BackendConfig,
    BlockContext,
    Message,
    Status,
    Watch,
)
from echidna_mcp.evm.fork import (
    HISTORY_ADDRESS,
    ForkName,
    is_older,
    system_contracts,
)

SENDERS = [0x10000, 0x20000]
CONTRACTS = [0xA1, 0xA2, 0xA3, 0xA4]
DELEGATING = 0xB1
MESSAGES = 4
PROGRAMS_A_WORLD = len(CONTRACTS) + 1
BLOCK = BlockContext(
    timestamp=1_700_000_000, number=2_000, base_fee=7, blob_base_fee=3, coinbase=0xC0
)


class RandomWorld:
    """A world made from a seed."""

    def __init__(self, seed: int, fork: ForkName) -> None:
        self.random = Random(f"{fork} {seed}")
        self.fork = fork
        self.delegations = not is_older(fork, "prague")
        everyone = [*CONTRACTS, *([DELEGATING] if self.delegations else [])]
        self.generator = Generator(self.random, everyone, fork=fork)

    def config(self) -> BackendConfig:
        """Return what the backends are made from."""
        return BackendConfig(block=BLOCK, max_code_size=24576, fork=self.fork)

    def play(self, backends: Twins | Alone, ends: Counter[Status]) -> None:
        """Fill the world, send messages, go back, send more; count how calls end."""
        self._fill(backends)
        start = backends.snapshot()
        for _ in range(MESSAGES):
            self._send(backends, ends)
        backends.restore(start)
        self._send(backends, ends)

    def _fill(self, backends: Twins | Alone) -> None:
        random = self.random
        for address in CONTRACTS:
            words = {
                random.randrange(SLOTS): self.generator.word()
                for _ in range(random.randrange(3))
            }
            backends.set_account(
                address,
                balance=random.choice([0, 10**6]),
                nonce=1,
                code=self.generator.program(),
                storage=words,
            )
        for address, code in system_contracts(self.fork).items():
            backends.set_account(address, nonce=1, code=code)
        if self.delegations:
            designator = bytes.fromhex("ef0100") + random.choice(
                [*CONTRACTS, DELEGATING, 4, 0x999, HISTORY_ADDRESS]
            ).to_bytes(20, "big")
            backends.set_account(DELEGATING, balance=1000, nonce=1, code=designator)

    def _send(self, backends: Twins | Alone, ends: Counter[Status]) -> None:
        random = self.random
        if random.random() < 0.1:
            init = random.choice([self.generator.init_code(), self.generator.program()])
            message = Message(
                sender=random.choice(SENDERS),
                to=None,
                data=init,
                gas=2_000_000,
                value=random.choice([0, 5]),
            )
            address = random.choice([None, None, 0xD1, CONTRACTS[0]])
            ends[backends.deploy(message, address=address).status] += 1
            return
        low = random.randrange(21_000, 200_000)
        message = Message(
            sender=random.choice(SENDERS),
            to=random.choice(self.generator.contracts),
            data=random.randbytes(random.choice([0, 4, 36, 100])),
            gas=random.choice([2_000_000] * 9 + [low]),
            value=random.choice([0, 0, 1, 10**6]),
            gas_price=random.choice([0, 9]),
            time_delay=random.choice([0, 0, 17]),
            block_delay=random.choice([0, 0, 2]),
            access_list=self._access_list(),
            blob_hashes=random.choice([(), (), (1 << 248, (1 << 248) + 5)]),
            authorizations=self._authorizations(),
        )
        comparisons = random.random() < 0.5
        ends[backends.call(message, Watch(comparisons=comparisons)).status] += 1

    def _access_list(self) -> tuple[tuple[int, tuple[int, ...]], ...]:
        random = self.random
        if random.random() < 0.8:
            return ()
        return ((random.choice(CONTRACTS), (0, 1)), (0x999, ()))

    def _authorizations(self) -> tuple[Authorization, ...]:
        random = self.random
        if not self.delegations or random.random() < 0.7:
            return ()
        return tuple(
            Authorization(
                authority=random.choice([None, DELEGATING, 0xB2, CONTRACTS[0]]),
                address=random.choice([0, *CONTRACTS]),
                nonce=random.choice([0, 1, 2]),
                chain_id=random.choice([0, 1, 2]),
            )
            for _ in range(random.randrange(1, 3))
        )
