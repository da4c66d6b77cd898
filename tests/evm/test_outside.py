"""Answers of the outside: what is remembered, and what is missing."""

from __future__ import annotations

import json

import pytest

from echidna_mcp.evm import outside as module
from echidna_mcp.evm.outside import (
    Answers,
    Outside,
    Reply,
    Request,
    UnansweredError,
)

A = Request(kind="variable", arguments=("A",))
B = Request(kind="variable", arguments=("B",))


def test_requests_and_replies_go_through_json():
    request = Request(
        kind="program", arguments=("sh", "é"), variables=(("A", ""), ("B", "\n"))
    )
    reply = Reply(values=(b"0", b"\xff\x00", "é\ud7ff".encode()))
    for told in (
        reply,
        Reply(error="e"),
        Reply(error="e", refusal="reads a."),
        Reply(),
    ):
        data = json.loads(json.dumps({**request.to_json(), **told.to_json()}))
        assert (Request.from_json(data), Reply.from_json(data)) == (request, told)


def test_the_first_answer_stays():
    answers = Answers([(A, Reply(values=(b"1",)))])
    answers.add(A, Reply(values=(b"2",)))
    assert answers.get(A) == Reply(values=(b"1",))
    assert len(answers) == 1


def test_of_a_sequence_only_the_first_request_is_missing():
    outside = Outside()
    for request in (A, B):
        with pytest.raises(UnansweredError):
            outside.ask(request)
    assert outside.missing == A
    outside.begin()
    with pytest.raises(UnansweredError):
        outside.ask(B)
    assert outside.missing == B


def test_a_source_is_asked_once_and_no_more_when_it_is_closed():
    asked: list[Request] = []

    def source(request: Request) -> Reply:
        asked.append(request)
        return Reply(values=(b"1",))

    outside = Outside(source=source)
    assert outside.ask(A) == outside.ask(A) == Reply(values=(b"1",))
    outside.close()
    assert outside.ask(A) == Reply(values=(b"1",))
    with pytest.raises(UnansweredError):
        outside.ask(B)
    assert asked == [A]


def test_there_is_room_for_so_many_answers_and_bytes(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "MOST_BYTES", 3)
    outside = Outside(source=lambda _: Reply(values=(b"12", b"3")))
    assert outside.ask(A) is not None
    assert outside.ask(B) is None
    assert outside.ask(A) is not None
    monkeypatch.setattr(module, "MOST_BYTES", 1000)
    assert outside.ask(B) is not None
    monkeypatch.setattr(module, "MOST_ANSWERS", 2)
    assert outside.ask(Request(kind="root")) is None
