"""Several calls in one text are told apart."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from echidna_mcp.abi.sequence_text import split_calls, split_sequences

CALLS = st.sampled_from(
    ["f()", 'g("a;b")', r'h("\";")', "k('; \" ;')", "Vault.deposit(1) Value: 5"]
)


@given(st.lists(CALLS, max_size=8), st.sampled_from([";", "; ", "\n", " ;\n\n"]))
def test_calls_are_separated_by_semicolons_and_lines(calls, between):
    assert list(split_calls(between.join(calls))) == calls


@given(st.lists(st.lists(CALLS, min_size=1, max_size=4), max_size=4))
def test_empty_lines_separate_sequences(sequences):
    text = "\n\n".join("\n".join(each) for each in sequences)
    assert list(split_sequences(text)) == sequences


def test_comments_and_empty_parts_are_no_calls():
    assert list(split_calls("# first f()\n ;; f() ;\n  # g()\n")) == ["f()"]
    assert list(split_sequences("# a\n\n# b\nf()\n# c\ng()\n \nh()")) == [
        ["f()", "g()"],
        ["h()"],
    ]


def test_a_quote_that_stays_open_separates_nothing_more():
    assert list(split_calls('f(); g("a; b')) == ["f()", 'g("a; b']
