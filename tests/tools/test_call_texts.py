from __future__ import annotations

from handmade_campaign import HandmadeCampaign

from echidna_mcp.reports.call_texts import CallTexts


def test_a_text_is_remembered_until_newer_ones_need_its_place() -> None:
    campaign = HandmadeCampaign()
    calls = [campaign.call(f'note("{number}")') for number in range(8)]
    texts = CallTexts(campaign.target, capacity=1_000)
    for _ in range(2):
        assert [texts.text(c) for c in calls] == [f'note("{n}")' for n in range(8)]
        # A call takes 202 characters of calldata and 9 of text.
        assert len(texts) == 4


def test_what_was_asked_for_lately_stays() -> None:
    campaign = HandmadeCampaign()
    calls = [campaign.call(f'note("{number}")') for number in range(5)]
    texts = CallTexts(campaign.target, capacity=1_000)
    first = texts.text(calls[0])
    for call in calls[1:]:
        texts.text(call)
        assert texts.text(calls[0]) is first


def test_a_call_larger_than_the_memory_is_shown_and_forgotten() -> None:
    campaign = HandmadeCampaign()
    texts = CallTexts(campaign.target, capacity=100)
    assert texts.text(campaign.call('note("x")')) == 'note("x")'
    assert len(texts) == 0
