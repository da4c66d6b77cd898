"""A precompile of py-evm's by itself, for an EVM that has no py-evm around it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from eth.exceptions import OutOfGas, VMError
from eth_typing import Address

from echidna_mcp_plugins.evm.precompiles import PRAGUE

if TYPE_CHECKING:
    from typing import Literal


@dataclass(frozen=True, slots=True)
class Answer:
    """What a precompile returned, and the gas that is left."""

    output: bytes
    gas: int


class Question:
    """All that py-evm's precompiles see of a computation, and of its message.

    Attributes:
        gas: what is left.
        output: what the precompile returns.
    """

    def __init__(self, data: bytes, gas: int) -> None:
        self.data = self.data_as_bytes = data
        self.gas = gas
        self.output = b""

    @property
    def msg(self) -> Question:
        """The message, of which only the data are asked for."""
        return self

    def consume_gas(self, amount: int, reason: str) -> None:
        """Pay gas.

        Raises:
            OutOfGas: there is less.
        """
        if amount > self.gas:
            raise OutOfGas(reason)
        self.gas -= amount


def ask(
    number: int, data: bytes, gas: int
) -> Answer | Literal["out of gas", "refused"]:
    """Run the precompile at the address `number` (Prague's; they include Cancun's).

    Returns:
        The answer, or why there is none.
    """
    question = Question(data, gas)
    try:
        PRAGUE[Address(number.to_bytes(20, "big"))](cast("Any", question))
    except OutOfGas:
        return "out of gas"
    except VMError:
        return "refused"
    return Answer(question.output, question.gas)
