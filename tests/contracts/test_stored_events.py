"""What a real campaign stores is what the event documents say."""

from __future__ import annotations

import pytest
from campaigns import small_config, started
from jsonschema import Draft7Validator

from echidna_mcp.campaign.director import StopReason
from echidna_mcp.contracts import load_bundle
from echidna_mcp.demo import load_demo
from echidna_mcp.plugins.manager import PluginManager

COMMANDS = {
    2: [("prioritize_function", {"functionSignature": "deposit()"})],
    3: [
        (
            "inject_transaction",
            {
                "sequence": [
                    "deposit()",
                    "requestWithdrawal(9)",
                    "cancelWithdrawal(0)",
                ],
                "value": "1000",
            },
        )
    ],
    4: [("clear_priorities", {})],
}


@pytest.fixture(scope="module")
def events(tmp_path_factory):
    directory = tmp_path_factory.mktemp("stored")
    with started(directory, load_demo(), small_config()) as running:
        running.rounds(4, COMMANDS)
        running.director.request_stop(StopReason.TimeLimitReached)
        running.director.run()
        return running.events


def test_every_payload_fits_its_document(events):
    validators = {
        name: Draft7Validator(spec.payload_schema)
        for name, spec in load_bundle().events.items()
    }
    for event in events:
        errors = [
            f"{event.type} {error.json_path}: {error.message[:200]}"
            for error in validators[event.type].iter_errors(event.payload)
        ]
        assert errors == []
    assert {event.type for event in events} >= {
        "CampaignStarted",
        "WorkerStarted",
        "WorkerStopped",
        "CommandAccepted",
        "CommandApplied",
        "TransactionExecuted",
        "CoverageIncreased",
        "CorpusExtended",
        "PropertyFalsified",
        "ReproducerConfirmed",
        "ReproducerShrunk",
        "StopRequested",
        "RoundCommitted",
        "CampaignStopped",
    }


def test_loaded_plugins_are_recorded_as_the_document_says():
    schema = load_bundle().events["CampaignStarted"].payload_schema
    recorded = [dict(record) for record in PluginManager.load().loaded]
    Draft7Validator(schema["properties"]["plugins"]).validate(recorded)
    assert recorded
