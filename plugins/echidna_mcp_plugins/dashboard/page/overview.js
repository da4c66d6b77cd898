// How the campaign goes: over time, and in its parts.

const MOST_EXECUTIONS = 12;

/** Curves of optimization tests that are shown here; each test has its own. */
const MOST_CURVES = 3;

function renderOverview({ campaign, samples, curves, executions, hover, widthOf }) {
  const panel = byId("panel-overview");
  if (!campaign) {
    patch(panel, waiting("the campaign"));
    return;
  }
  const { rates, points, corpus, marks } = series(samples);
  const width = widthOf(panel);
  const at = (id) => (hover?.id === id ? hover.seconds : null);
  patch(panel,
    h("div", { class: "charts", "data-key": "charts" },
      chart({ id: "throughput", title: "Throughput", unit: "calls/s", points: rates, ends: true, marks, at: at("throughput"), width }),
      chart({ id: "coverage", title: "Coverage", unit: "points", points, marks, at: at("coverage"), width }),
      chart({ id: "corpus", title: "Corpus", unit: "calls", points: corpus, marks, at: at("corpus"), width }),
      curves.slice(0, MOST_CURVES).map((curve) => chart({ ...curve, at: at(curve.id), width }))),
    marks.length > 0 && h("p", { class: "faint after", "data-key": "legend" },
      h("span", { class: "swatch", "aria-hidden": "true" }),
      "Upright lines: a test failed for the first time."),
    h("div", { class: "columns", "data-key": "columns" },
      h("div", {},
        h("section", { class: "card" }, h("h2", {}, "Tests"), testSummary(campaign)),
        h("section", { class: "card" }, h("h2", {}, "Tool calls"), toolCalls(executions))),
      h("div", {},
        h("section", { class: "card" }, h("h2", {}, "Campaign"), facts(campaign)),
        campaign.machines && h("section", { class: "card" }, h("h2", {}, "Machines"), machines(campaign.machines)),
        h("section", { class: "card" }, h("h2", {}, "Workers"), workers(campaign.workers)))));
}

/** What agents have asked for lately. */
function toolCalls(executions) {
  if (!executions.length) return h("p", { class: "empty" }, "No tool has been called so far.");
  return h("ul", { class: "plain tool-calls" }, executions.slice(0, MOST_EXECUTIONS).map((each) =>
    h("li", { "data-key": each.execId, title: each.result },
      h("span", { class: "time", title: each.start }, clock(each.start)), " ",
      h("code", {}, cut(each.description, 80)), " ",
      h("span", { class: each.success ? "good" : "bad" },
        each.success ? "✓" : `✗ ${each.error}`), " ",
      h("span", { class: "faint" }, `${each.durationMs.toFixed(1)} ms`))));
}

/** Which series a chart shows, for those who point at it. */
function chartPoints(id, samples, curves) {
  const all = series(samples);
  return { throughput: all.rates, coverage: all.points, corpus: all.corpus }[id]
    ?? curves.find((curve) => curve.id === id)?.points ?? [];
}

function testSummary(campaign) {
  if (!campaign.tests.length) return h("p", { class: "empty" }, "This campaign has no tests.");
  return h("ul", { class: "plain" }, campaign.tests.map((test) => h("li", { "data-key": test.name },
    h("button", { type: "button", class: "link", "data-do": "test", "data-name": test.name },
      test.name),
    badge(testState(test)),
    test.title && !test.maximizes && h("span", { class: "faint title-line" }, titleBeside(test)),
    test.notExercised && h("span", { class: "faint title-line" }, test.notExercised))));
}

/** Where the campaign runs, if that is on several machines. */
function machines({ nodes, total, lostWorkers }) {
  return [
    h("ul", { class: "plain" }, nodes.map((each) => h("li", { "data-key": each.name },
      h("code", {}, each.name), " ",
      h("span", { class: "faint" }, each.workers
        ? `${counted(each.workers, "worker")}, ${short(each.callsPerSecond)} calls/s`
        : "gone")))),
    total > nodes.length && h("p", { class: "faint" }, `and ${total - nodes.length} more`),
    lostWorkers > 0 && h("p", { class: "faint" }, `${counted(lostWorkers, "worker")} lost, and replaced`),
  ];
}

function workers({ states, total }) {
  return [
    h("ul", { class: "workers" }, states.map((state, n) => h("li", { class: state },
      h("span", { "aria-hidden": "true" }, state === "running" ? "●" : "○"),
      ` ${n} ${state}`))),
    total > states.length && h("p", { class: "faint" }, `and ${total - states.length} more`),
  ];
}

function facts(campaign) {
  const rows = [
    ["Contract", campaign.contract],
    ...(campaign.targets.length > 1 ? [["Calls go to", targetList(campaign.targets)]] : []),
    ["Compiler", campaign.compiler],
    ["Test mode", campaign.testMode],
    ["Seed", String(campaign.seed)],
    ["Test limit", campaign.testLimit ? counted(campaign.testLimit, "call") : "none"],
    ["Calls", whole(campaign.calls)],
    ["Reverted", `${whole(campaign.reverts)}${campaign.calls ? ` (${percent((100 * campaign.reverts) / campaign.calls)})` : ""}`],
    ["Last new coverage", campaign.coverage.lastIncrease ? `round ${whole(campaign.coverage.lastIncrease)}` : "none yet"],
    ["Priorities", campaign.priorities.join(", ") || "none"],
    ["Pending commands", whole(campaign.pendingCommands)],
    ["State digest", campaign.stateDigest],
  ];
  return h("dl", { class: "facts-list" }, rows.map(([name, value]) => [
    h("dt", {}, name),
    h("dd", { class: name === "State digest" ? "digest" : "" }, value ?? "unknown"),
  ]));
}

function targetList(targets) {
  return h("ul", {}, targets.map((each) => h("li", { title: each.contract, "data-key": `${each.contract} ${each.address}` },
    h("code", {}, qualified(each.contract).name), " ",
    h("span", { class: "faint" }, each.address ? address(each.address) : "created by sequences",
      `, ${counted(each.functions, "function")}`))));
}

function waiting(what, error) {
  return error
    ? h("p", { class: "empty bad" }, error.message)
    : h("p", { class: "empty" }, `Waiting for ${what}…`);
}
