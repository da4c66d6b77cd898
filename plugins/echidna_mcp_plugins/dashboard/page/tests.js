// The tests, and the call sequence that makes each of them fail.

function renderTests({ campaign, chosen, reproducer, error, copied }) {
  const panel = byId("panel-tests");
  if (!campaign) {
    patch(panel, waiting("the tests"));
    return;
  }
  if (!campaign.tests.length) {
    patch(panel, h("p", { class: "empty" },
      `This campaign has no tests: its mode is ${campaign.testMode}.`));
    return;
  }
  patch(panel, h("div", { class: "split", "data-key": "split" },
    h("div", { class: "side" },
      h("h2", { id: "tests-heading" }, "Tests"),
      h("ul", { class: "choices", "aria-labelledby": "tests-heading" }, campaign.tests.map((test) =>
        h("li", { "data-key": test.name },
          h("button", {
            type: "button", "data-do": "test", "data-name": test.name,
            "aria-current": test.name === chosen?.name ? "true" : null,
          }, h("span", { class: "name" }, test.name), badge(testState(test)))))),
      campaign.totalTests > campaign.tests.length && h("p", { class: "faint" },
        `and ${counted(campaign.totalTests - campaign.tests.length, "more test")} that ${campaign.totalTests - campaign.tests.length === 1 ? "is" : "are"} not listed`)),
    h("section", { class: "card", "aria-live": "off" }, testDetail(chosen, reproducer, error, copied))));
}

function testDetail(test, reproducer, error, copied) {
  if (!test) return h("p", { class: "empty" }, "Choose a test.");
  const heading = h("div", { class: "row" },
    h("h2", { class: "name" }, test.name), badge(testState(test)));
  if (test.state === "open" && !test.disputed) {
    return [heading, h("p", {}, test.notExercised
      ? `That it has not failed means nothing: ${test.notExercised}.`
      : "No call sequence found so far makes it fail.")];
  }
  if (!reproducer) return [heading, waiting("the reproducer", error)];
  const more = reproducer.length - reproducer.calls.length;
  return [
    heading,
    h("p", {},
      reproducer.reason ? `Reason: ${reproducer.reason}. ` : "",
      reproducer.falsifiedAtRound ? `First failed in round ${whole(reproducer.falsifiedAtRound)}. ` : "",
      test.state === "shrinking" ? "Still looking for a shorter sequence." : "",
      test.disputed ? "Two EVMs disagree on this sequence, so one of them has a bug." : ""),
    h("div", { class: "row" },
      h("h3", {}, reproducer.length
        ? `${counted(reproducer.length, "call")} to reproduce` : "Fails without any call"),
      h("button", { type: "button", "data-do": "copy" }, copied ? "Copied" : "Copy")),
    reproducer.calls.length ? callList(reproducer.calls) : null,
    more > 0 && h("p", { class: "faint" }, `and ${counted(more, "more call")}`),
  ];
}
