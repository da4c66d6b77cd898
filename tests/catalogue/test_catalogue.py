"""Resources, prompts and news, behind real views."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from handmade_campaign import HandmadeCampaign
from tool_plugins import make_service

from echidna_mcp.catalogue.catalogue import Catalogue
from echidna_mcp.catalogue.news import Change
from echidna_mcp.catalogue.prompt import Prompt, PromptArgument
from echidna_mcp.catalogue.resource import Resource, touched_by
from echidna_mcp.errors import (
    EchidnaMcpError,
    InvalidInputError,
    PluginError,
    PromptNotFoundError,
    ResourceNotFoundError,
    ToolTimeoutError,
)
from echidna_mcp.tools.stage import Stage


def resource(uri: str, text: str = "text", **more: Any) -> Resource:
    async def read(values: Any, _context: Any) -> str:
        return text.format(**values)

    return Resource(
        **{
            "name": uri,
            "uri": uri,
            "title": uri,
            "description": uri,
            "mime_type": "text/plain",
            "read": read,
            **more,
        }
    )


def greeting(**more: Any) -> Prompt:
    return Prompt(
        name="greet",
        title="Greet",
        description="Greets.",
        arguments=(
            PromptArgument(
                name="who",
                description="Name of a person.",
                required=True,
                values=lambda _context: ["Ada", "Adele", "Bob"],
            ),
            PromptArgument(name="how", description="Manner."),
        ),
        render=lambda given, context: (
            f"{given.get('how', 'Hello')} {given['who']} of "
            + context.views.target.program.main
        ),
        **more,
    )


@pytest.fixture
def catalogue(campaign, tmp_path):
    def make(*resources: Resource, prompts: tuple[Prompt, ...] = ()) -> Catalogue:
        context = campaign.context(tmp_path)
        return Catalogue(
            make_service(campaign, tmp_path), Stage(context), resources, prompts
        )

    return make


@pytest.fixture
def campaign():
    return HandmadeCampaign()


async def test_a_resource_is_read_by_its_uri(catalogue):
    resources = catalogue(
        resource("x://a", "first"), resource("x://{name}/{part}", "{name} of {part}")
    ).resources
    assert (await resources.read("x://a")).data == "first"
    content = await resources.read("x://m%20n/o")
    assert content.data == "m n of o"
    assert content.uri == "x://m%20n/o"


async def test_an_unknown_uri_is_refused_with_those_that_are_close(catalogue):
    resources = catalogue(resource("x://coverage"), resource("x://{a}/b")).resources
    with pytest.raises(ResourceNotFoundError, match="did you mean x://coverage"):
        await resources.read("x://coverag")
    with pytest.raises(ResourceNotFoundError, match="resources/list"):
        await resources.read("\ud800" * 3)


async def test_a_reader_that_fails_tells_the_client_nothing(catalogue, caplog):
    async def fail(_values: Any, _context: Any) -> str:
        raise RuntimeError("secret")

    with pytest.raises(EchidnaMcpError) as raised:
        await catalogue(resource("x://a", read=fail)).resources.read("x://a")
    assert "secret" not in raised.value.message
    assert raised.value.code == "INTERNAL_ERROR"
    assert "secret" in caplog.text


async def test_a_reader_that_hangs_is_given_up(catalogue):
    async def hang(_values: Any, _context: Any) -> str:
        await asyncio.sleep(60)
        return ""

    with pytest.raises(ToolTimeoutError, match="x://a"):
        await catalogue(resource("x://a", read=hang, seconds=0.05)).resources.read(
            "x://a"
        )


def test_a_list_shows_members_of_families_that_name_them(catalogue):
    listed = catalogue(
        resource("x://b"),
        resource("x://a/{n}", listed=lambda _context: [{"n": "2"}, {"n": "a b"}]),
        resource("x://c/{n}"),
    ).resources.listed()
    assert [uri for uri, _ in listed] == ["x://a/2", "x://a/a%20b", "x://b"]


def test_two_of_the_same_name_are_refused(catalogue):
    twice = resource("x://a"), resource("x://a", name="other")
    with pytest.raises(PluginError, match="enable one of them"):
        catalogue(*twice)
    with pytest.raises(PluginError, match="enable one of them"):
        catalogue(prompts=(greeting(), greeting()))


def test_a_commit_is_told_once_for_each_uri(catalogue, campaign):
    both = catalogue(
        resource("x://a", touched=touched_by("WorkerStarted", "CampaignStarted")),
        resource(
            "x://w/{worker}",
            touched=lambda e: [] if e.worker is None else [{"worker": str(e.worker)}],
        ),
    )
    heard: list[Change] = []
    leave = both.news.subscribe(heard.append)
    both.committed(campaign.events)
    assert heard == [Change(("x://a", "x://w/0", "x://w/1", "x://w/2"))]
    leave()
    leave()
    both.committed(campaign.events)
    assert len(heard) == 1


def test_a_commit_that_changes_nothing_is_not_told(catalogue, campaign):
    quiet = catalogue(resource("x://a"))
    quiet.news.subscribe(lambda change: pytest.fail(str(change)))
    quiet.committed(campaign.events)


def test_a_list_that_shows_more_is_told(catalogue, campaign):
    growing = catalogue(
        resource(
            "x://{name}",
            listed=lambda context: [
                {"name": each.name} for each in context.views.properties.falsified
            ],
        )
    )
    heard: list[Change] = []
    growing.news.subscribe(heard.append)
    growing.committed([campaign.falsify("echidna_true", "deposit()")])
    growing.committed([campaign.shrink("echidna_true", "deposit()")])
    assert heard == [Change((), listing=True)]


async def test_a_prompt_is_rendered_from_arguments_and_campaign(catalogue):
    prompts = catalogue(prompts=(greeting(),)).prompts
    hello = await prompts.render("greet", {"who": "Ada"})
    assert hello == "Hello Ada of src/Vault.sol:Vault"
    ahoy = await prompts.render("greet", {"who": "Ada", "how": "Ahoy"})
    assert ahoy.startswith("Ahoy Ada")


@pytest.mark.parametrize(
    ("name", "arguments", "kind", "words"),
    [
        ("great", {}, PromptNotFoundError, "choose from greet"),
        ("greet", {}, InvalidInputError, "needs who: Name of a person"),
        ("greet", {"who": "  "}, InvalidInputError, "needs who"),
        ("greet", {"who": "A", "age": "9"}, InvalidInputError, "takes who and how"),
    ],
)
async def test_a_prompt_that_can_not_be_rendered(
    catalogue, name, arguments, kind, words
):
    with pytest.raises(kind, match=words):
        await catalogue(prompts=(greeting(),)).prompts.render(name, arguments)


def test_arguments_and_variables_are_completed(catalogue):
    both = catalogue(
        resource("x://{n}", values={"n": lambda _context: ["1", "12"]}),
        prompts=(greeting(),),
    )
    assert both.prompts.complete("greet", "who", "ad").values == ("Ada", "Adele")
    assert both.prompts.complete("greet", "how", "").values == ()
    assert both.prompts.complete("other", "who", "").values == ()
    assert both.resources.complete("x://{n}", "n", "1").values == ("1", "12")
    assert both.resources.complete("x://{n}", "m", "1").values == ()
    assert both.resources.complete("y://{n}", "n", "1").values == ()


def test_a_page_is_found_by_the_tool_that_it_shows(catalogue):
    page = resource("ui://page", views=("show_coverage",))
    assert catalogue(page).view_of("show_coverage") == "ui://page"
    assert catalogue(page).view_of("read_logs") is None


async def test_a_plugin_that_can_not_say_what_changed_stops_nobody(
    catalogue, campaign, caplog
):
    def fail(_given: Any) -> Any:
        raise RuntimeError("broken")

    broken = catalogue(
        resource("x://a", touched=fail),
        resource("x://b/{n}", listed=fail),
        resource("x://c", touched=touched_by("CampaignStarted")),
    )
    heard: list[Change] = []
    broken.news.subscribe(heard.append)
    broken.committed(campaign.events)
    broken.committed(campaign.events)
    assert heard == [Change(("x://c",))] * 2
    assert [uri for uri, _ in broken.resources.listed()] == ["x://a", "x://c"]
    assert caplog.text.count("it is not asked again") == 2
    assert (await broken.resources.read("x://a")).data == "text"
