from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echidna_mcp.catalogue.uri_template import UriTemplate

UNICODE = st.text(st.characters(codec="utf-8"), min_size=1)


@given(one=UNICODE, two=UNICODE)
def test_what_is_expanded_is_matched(one, two):
    template = UriTemplate("echidna://campaign/{one}/of/{two}")
    uri = template.expand({"one": one, "two": two})
    assert template.match(uri) == {"one": one, "two": two}
    assert uri.isascii()
    assert uri.count("/") == 5


@pytest.mark.parametrize(
    ("uri", "values"),
    [
        ("x://tests/echidna_a", {"name": "echidna_a"}),
        (
            "x://tests/f(uint8,(bool,int[]))",
            {"name": "f(uint8,(bool,int[]))"},
        ),
        ("x://tests/f%28uint256%29", {"name": "f(uint256)"}),
        ("x://tests/a%2Fb", {"name": "a/b"}),
        ("x://tests/", None),
        ("x://tests/a/b", None),
        ("x://tests/a?b", None),
        ("x://tests/a#b", None),
        ("y://tests/a", None),
        ("x://tests/a\n", {"name": "a\n"}),
    ],
)
def test_a_uri_is_read(uri, values):
    assert UriTemplate("x://tests/{name}").match(uri) == values


def test_a_template_without_variables_matches_itself():
    template = UriTemplate("echidna://campaign/coverage.lcov")
    assert template.variables == ()
    assert template.match("echidna://campaign/coverage.lcov") == {}
    assert template.match("echidna://campaign/coverageXlcov") is None
