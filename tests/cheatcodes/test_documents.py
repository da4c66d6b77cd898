"""JSON and TOML of cheatcodes: against Python's own, and at their limits."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
from cheat_answers import ask, new_cheats, refusal
from hypothesis import example, given
from hypothesis import strategies as st

from echidna_mcp.cheatcodes.handlers.formats import json_text, numbers

LEAVES = st.none() | st.booleans() | st.integers() | st.text()
DOCUMENTS = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
CHEATS = new_cheats()


@given(DOCUMENTS)
def test_json_is_read_and_written_as_python_does(document):
    text = json.dumps(document)
    written = json_text.dump(json_text.parse(text))
    assert json.loads(written) == document
    assert written == json.dumps(document, ensure_ascii=False, separators=(",", ":"))


@given(st.text())
def test_what_is_no_json_to_python_is_refused(text):
    try:
        json.loads(text, parse_constant=pytest.fail)
    except (ValueError, pytest.fail.Exception):
        assert ask(CHEATS, "parseJson(string)", text) is None


@given(FLOATS)
@example(5e-324)
@example(1.7976931348623157e308)
@example(9007199254740993.0)
def test_floats_are_rounded_and_written_as_the_machine_does(number):
    assert numbers.nearest(repr(number)) == Fraction(number)
    digits, place = numbers.shortest(abs(Fraction(number)))
    assert float(f"{digits}e{place}") == abs(number)
    assert len(str(digits)) <= len(repr(abs(number)).replace(".", "").split("e")[0])


@given(
    st.from_regex(r"-?[0-9]{1,40}(\.[0-9]{1,40})?(e[+-]?[0-9]{1,3})?", fullmatch=True)
)
@example("9007199254740993")
@example("2.4703282292062327208e-324")
@example("2.4703282292062328e-324")
@example("1.7976931348623158e308")
@example("1.7976931348623159e308")
def test_decimal_numbers_are_rounded_as_the_machine_does(text):
    found = numbers.nearest(text)
    if found is None:
        assert abs(float(text)) == float("inf")
    else:
        assert found == Fraction(float(text))


def test_a_default_stands_for_what_is_not_there_and_only_for_that():
    signature = "parseJsonUint(string,string,uint256)"
    assert ask(CHEATS, signature, '{"a":1}', ".a", 7) == [1]
    assert ask(CHEATS, signature, '{"a":1}', ".b", 7) == [7]
    assert ask(CHEATS, signature, '{"a":"x"}', ".a", 7) is None
    signature = "parseTomlStringArray(string,string,string[])"
    assert ask(CHEATS, signature, 'a = ["x"]', ".a", []) == [["x"]]
    assert ask(CHEATS, signature, 'a = ["x"]', ".b", ["y", "z"]) == [["y", "z"]]


def test_an_array_has_a_length():
    signature = "parseJsonArrayLength(string,string)"
    assert ask(CHEATS, signature, '{"a":[1,[2,3]]}', ".a") == [2]
    assert ask(CHEATS, signature, '{"a":{"b":1}}', ".a") is None


@pytest.mark.parametrize(
    ("signature", "text"),
    [
        ("parseJson(string)", "[" * 200 + "]" * 200),
        ("parseJson(string)", '{"a":' * 5000 + "1" + "}" * 5000),
        ("parseToml(string)", f"a = {'[' * 5000}{']' * 5000}"),
        ("parseToml(string)", f"{'a.' * 5000}a = 1"),
    ],
)
def test_a_document_without_end_is_refused(signature, text):
    assert "recursion" in refusal(CHEATS, signature, text)


def test_brackets_in_strings_are_no_depth():
    text = json.dumps({"a": '["' * 500})
    assert ask(CHEATS, "parseJsonString(string,string)", text, ".a") == ['["' * 500]
    text = f'a = \'{"[" * 500}\'\nb = """{"[" * 500}""" # {"[" * 500}'
    assert ask(CHEATS, "parseTomlString(string,string)", text, ".a") == ["[" * 500]


def test_a_filter_is_refused_by_name():
    cheats = new_cheats()
    document = '{"a":[{"b":1}]}'
    assert ask(cheats, "parseJson(string,string)", document, ".a[?(@.b)]") is None
    assert [*cheats.refused] == ["parseJson(string,string)"]


def test_members_of_a_struct_of_the_project_come_in_its_order():
    document = '{"alpha":1,"beta":2}'
    sorted_ = ask(CHEATS, "parseJson(string)", document)
    ordered = new_cheats(structs=(("Any", ("beta", "alpha")),))
    assert sorted_ == [f"0x{1:064x}{2:064x}"]
    assert ask(ordered, "parseJson(string)", document) == [f"0x{2:064x}{1:064x}"]


def test_what_is_serialized_goes_back_with_the_sequence():
    cheats = new_cheats()
    signature = "serializeUint(string,string,uint256)"
    ask(cheats, signature, "object", "a", 1)
    mark = cheats.mark()
    assert ask(cheats, signature, "object", "b", 2) == ['{"a":1,"b":2}']
    cheats.restore(mark)
    assert ask(cheats, signature, "object", "c", 3) == ['{"a":1,"c":3}']
    assert ask(cheats, signature, "other", "c", 3) == ['{"c":3}']


@given(DOCUMENTS.filter(lambda document: isinstance(document, dict)))
def test_an_object_in_a_string_becomes_an_object(document):
    text = json.dumps(document)
    arguments = ("o", "k", text)
    (found,) = ask(new_cheats(), "serializeString(string,string,string)", *arguments)
    assert json.loads(found) == {"k": document}


@pytest.mark.parametrize(
    "description",
    ["", "Foo", "Foo(", "Foo(uint256)", "Foo(Foo a)", "Foo(Bar a)", "uint7", "[" * 500],
)
def test_what_describes_no_type_is_refused(description):
    arguments = ("{}", description)
    assert ask(CHEATS, "parseJsonType(string,string)", *arguments) is None


@pytest.mark.parametrize(
    "text", ["{}", "[]", "1", '{"types":1}', '{"types":{"A":[1]}}']
)
def test_what_is_no_typed_data_is_refused(text):
    assert ask(CHEATS, "eip712HashTypedData(string)", text) is None


def test_the_name_of_a_type_alone_is_refused_by_name():
    cheats = new_cheats()
    assert ask(cheats, "eip712HashType(string)", "Mail") is None
    assert [*cheats.refused] == ["eip712HashType(string)"]
