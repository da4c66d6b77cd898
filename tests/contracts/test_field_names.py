"""Names of JSON properties as Python fields."""

from __future__ import annotations

import keyword

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echidna_mcp.contracts.naming import class_name, field_name, snake_case


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("count", "count"),
        ("functionSignature", "function_signature"),
        ("workerId", "worker_id"),
        ("HTTPStatus", "http_status"),
        ("wallet_address", "wallet_address"),
        ("eip1559Fee", "eip1559_fee"),
        ("class", "class_"),
        ("max-items", "max_items"),
        ("2fa", "field_2fa"),
        ("_meta", "field_meta"),
        ("", "field_"),
    ],
)
def test_fields_are_written_as_python_writes_them(name, field):
    assert field_name(name) == field


@given(st.text(max_size=20))
def test_every_property_gives_a_public_identifier(name):
    field = field_name(name)
    assert field.isidentifier()
    assert not keyword.iskeyword(field)
    assert not field.startswith("_")


def test_tools_and_events_are_named_both_ways():
    assert class_name("read_logs") == "ReadLogs"
    assert snake_case("CoverageIncreased") == "coverage_increased"
