// The tests, failed ones first; what was found of each, why, and how to show it.

function renderTests({ campaign, chosen, finding, error, copied, curve, at, widthOf, canJump }) {
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
  const more = campaign.totalTests - campaign.tests.length;
  patch(panel, h("div", { class: "split", "data-key": "split" },
    h("div", { class: "side" },
      h("h2", { id: "tests-heading" }, "Tests"),
      h("ul", { class: "choices", "aria-labelledby": "tests-heading" },
        campaign.tests.map((test) => testChoice(test, test.name === chosen?.name))),
      more > 0 && h("p", { class: "faint" },
        `and ${counted(more, "more test")} that ${more === 1 ? "is" : "are"} not listed`)),
    h("section", { class: "card detail", id: "test-detail", tabindex: -1, "aria-live": "off" },
      testDetail({ test: chosen, finding, error, copied, curve, at, widthOf, panel, canJump }))));
}

/** A test, or a further finding of the test before it. */
function testChoice(test, chosen) {
  return h("li", { class: test.test ? "further" : "", "data-key": test.name },
    h("button", {
      type: "button", "data-do": "test", "data-name": test.name, "aria-current": chosen ? "true" : null,
    },
    h("span", { class: "name" }, test.name), badge(testState(test)),
    test.title && !test.maximizes && h("span", { class: "faint title-line" }, titleBeside(test))));
}

/** The title of a finding where the name of its test stands already. */
function titleBeside({ name, test = name, title }) {
  return cut(title.startsWith(`${test}: `) ? title.slice(test.length + 2) : title, 120);
}

function testDetail({ test, finding, error, copied, curve, at, widthOf, panel, canJump }) {
  if (!test) return h("p", { class: "empty" }, "Choose a test.");
  const heading = h("div", { class: "row" },
    h("h2", { class: "name" }, test.name), badge(testState(test)));
  if (!test.finding) {
    if (test.maximizes) return [heading, h("p", {}, test.notExercised ? `${spaced(test.notExercised)}.` : "It has no value so far.")];
    return [heading, h("p", {}, test.notExercised
      ? `That it has not failed means nothing: ${test.notExercised}.`
      : "No call sequence found so far makes it fail.")];
  }
  const value = test.maximizes && [
    h("p", { class: "best", "data-key": "best" }, "Greatest value so far: ", h("strong", {}, digits(test.value))),
    curve && chart({ ...curve, at, width: widthOf(panel) }),
  ];
  if (!finding) return [heading, value, waiting("the finding: its calls are executed once more", error)];
  return [heading, value, findingParts({ test, finding, copied, canJump })];
}

function findingParts({ test, finding, copied, canJump }) {
  const more = finding.length - finding.calls.length;
  const place = finding.trace && failurePlace(finding.trace);
  return [
    h("p", { "data-key": "why" },
      finding.reason && !test.maximizes ? `Reason: ${finding.reason}. ` : "",
      finding.falsifiedAtRound ? `First failed in round ${whole(finding.falsifiedAtRound)}. ` : "",
      finding.shrinking ? "Still looking for a shorter sequence. " : "",
      test.disputed ? "Two EVMs disagree on this sequence, so one of them has a bug. " : "",
      h("span", { class: "faint" }, "Id ", h("code", {}, finding.id))),
    finding.confirmation && h("p", { class: "faint", "data-key": "confirmed" },
      `C${finding.confirmation.text.slice(1)}.`),
    place ? excerpt(place, canJump) : finding.path && h("p", {}, h("code", {}, `${finding.path}:${finding.line}`)),
    h("div", { class: "row", "data-key": "sequence-heading" },
      h("h3", {}, sequenceTitle(test, finding)),
      h("button", { type: "button", "data-do": "copy" }, copied === "sequence" ? "Copied" : "Copy")),
    finding.calls.length ? callList(finding.calls, finding.trace) : null,
    more > 0 && h("p", { class: "faint" }, `and ${counted(more, "more call")}`),
    finding.trace && h("details", { class: "part", open: true, "data-key": "trace" },
      h("summary", {}, h("h3", {}, "Trace")), traceTree(finding.trace)),
    finding.foundry && foundryPart(finding.foundry, copied),
    finding.remarks.map((remark) => h("p", { class: "faint", "data-key": remark }, remark)),
  ];
}

function sequenceTitle(test, finding) {
  if (!finding.length) return test.maximizes ? "Reached without any call" : "Fails without any call";
  return `${counted(finding.length, "call")} to ${test.maximizes ? "reach it" : "reproduce"}`;
}

function foundryPart({ file, text }, copied) {
  const lines = highlighted(text.replace(/\n$/, "").split("\n"), SOLIDITY);
  return h("details", { class: "part", "data-key": "foundry" },
    h("summary", {}, h("h3", {}, "Foundry test")),
    h("div", { class: "row" },
      h("code", {}, file),
      h("button", { type: "button", "data-do": "copy-foundry" }, copied === "foundry" ? "Copied" : "Copy the test")),
    h("div", { class: "listing", tabindex: 0, role: "region", "aria-label": `Foundry test ${file}` },
      lines.map((parts) => h("div", {}, h("code", {}, coloured(parts))))));
}
