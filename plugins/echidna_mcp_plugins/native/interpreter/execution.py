"""Running messages. `interpreter` writes the native bodies of two of the functions."""

from __future__ import annotations

from echidna_mcp.kernel.language.memory import u64, u256
from echidna_mcp_plugins.native.interpreter import plain
from echidna_mcp_plugins.native.interpreter.message import (
    begin_call,
    begin_creation,
    end_message,
    enter_call,
    enter_creation,
)
from echidna_mcp_plugins.native.state.machine import Machine


def execute(m: Machine) -> None:
    """Run from `resume` until the first frame has ended."""
    plain.execute(m)


def install_handlers(m: Machine) -> None:
    """Fill `handlers`, which is as long as there are tokens and superinstructions.

    Streams that were decoded before are worthless afterwards.
    """
    for number in range(len(m.handlers)):
        m.handlers[number] = number


def run_call(
    m: Machine, sender: u256, target: u256, value: u256, gas: u64, input_size: u64
) -> None:
    """Run a call from beginning to end; see `message`."""
    if begin_call(m, sender, target, value, gas, input_size) != 0:
        execute(m)
    end_message(m)


def run_creation(
    m: Machine,
    sender: u256,
    target: u256,
    chosen: u64,
    value: u256,
    gas: u64,
    input_size: u64,
) -> None:
    """Run a creation from beginning to end; see `message`."""
    if begin_creation(m, sender, target, chosen, value, gas, input_size) != 0:
        execute(m)
    end_message(m)


def run_open_call(m: Machine, target: u256, value: u256, input_size: u64) -> None:
    """Run a call whose message is open; see `message`."""
    if enter_call(m, target, value, input_size) != 0:
        execute(m)
    end_message(m)


def run_open_creation(
    m: Machine, target: u256, chosen: u64, value: u256, input_size: u64
) -> None:
    """Run a creation whose message is open; see `message`."""
    if enter_creation(m, target, chosen, value, input_size) != 0:
        execute(m)
    end_message(m)
