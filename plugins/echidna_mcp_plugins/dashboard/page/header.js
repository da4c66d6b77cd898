// What stands above all views: which campaign, how far, how well.

const TEST_STATES = {
  open: ["good", "○", "passing"],
  shrinking: ["bad", "✗", "failed, shrinking"],
  solved: ["bad", "✗", "failed"],
  disputed: ["warn", "?", "disputed"],
  unexercised: ["warn", "○", "not exercised"],
};

function testState(test) {
  if (test.maximizes && test.value !== undefined) return ["", "↑", short(Number(test.value))];
  if (test.disputed) return TEST_STATES.disputed;
  if (test.notExercised) return TEST_STATES.unexercised;
  return TEST_STATES[test.state] ?? ["", "", test.state];
}

function badge([kind, mark, text]) {
  return h("span", { class: `badge ${kind}` }, mark ? `${mark} ${text}` : text);
}

/** The state of a campaign as kind, mark and text. */
function campaignState(campaign) {
  if (campaign.stopped) return ["warn", "■", spaced(campaign.stopped)];
  if (campaign.draining) return ["warn", "◔", "Finishing"];
  return campaign.round ? ["good", "▶", "Fuzzing"] : ["", "◔", "Starting"];
}

function failedTests(campaign) {
  return campaign.failed.tests;
}

/** `Vault`, or `Vault and 2 more contracts` if sequences call several. */
function targetsText(name, campaign) {
  const more = (campaign?.targets.length ?? 1) - 1;
  return more > 0 ? [name, h("span", { class: "faint" }, ` and ${counted(more, "more contract")}`)] : name;
}

function renderHeader({ campaign, samples, coverage }) {
  const contract = campaign?.contract ?? "";
  const { path, name } = qualified(contract);
  const title = byId("contract");
  patch(title, targetsText(name || "Campaign", campaign));
  title.title = visible(path);
  const state = byId("state");
  state.hidden = !campaign;
  if (campaign) {
    const [kind, mark, text] = campaignState(campaign);
    state.className = `badge ${kind}`;
    patch(state, `${mark} ${text}`);
  }
  patch(byId("figures"), campaign ? campaignFigures(campaign, samples) : coverageFigures(coverage));
  document.title = visible(documentTitle(name, campaign));
}

function documentTitle(name, campaign) {
  const failed = campaign ? failedTests(campaign) : 0;
  return [name, failed ? `${failed} failed` : "", "echidna-mcp"].filter(Boolean).join(" · ");
}

function campaignFigures(campaign, samples) {
  const rate = currentRate(samples);
  const failed = failedTests(campaign);
  return [
    figure("Calls", short(campaign.calls),
      campaign.stopped || rate === null ? counted(campaign.sequences, "sequence") : `${short(rate)} calls/s`),
    figure("Line coverage", percent(campaign.coverage.lineCoverage),
      counted(campaign.coverage.points, "point"), campaign.coverage.lineCoverage),
    figure("Tests failed", `${failed} of ${campaign.failed.of}`,
      failed ? counted(campaign.failed.findings, "finding") : "none so far", null, failed ? "bad" : ""),
    ...campaign.tests.filter((test) => test.maximizes && test.value !== undefined).slice(0, MOST_VALUES)
      .map((test) => figure(cut(test.name, 40), short(Number(test.value)), "greatest value")),
    figure("Corpus", whole(campaign.corpus.sequences),
      `${campaign.corpus.sequences === 1 ? "sequence" : "sequences"}, ${counted(campaign.corpus.transactions, "call")}`),
    figure("Round", whole(campaign.round),
      `${campaign.workers.running} of ${counted(campaign.workers.total, "worker")} running`),
  ];
}

/** What a result of `show_coverage` tells, if that is all there is. */
function coverageFigures(coverage) {
  if (!coverage) return [];
  return [
    figure("Line coverage", percent(coverage.lineCoverage),
      counted(coverage.points, "point"), coverage.lineCoverage),
    figure("Contracts", whole(coverage.contracts.length), ""),
    figure("Round", whole(coverage.round), ""),
  ];
}

/** Values of optimization tests that are shown above all views. */
const MOST_VALUES = 2;

function figure(name, value, more, share = null, kind = "") {
  return h("div", { class: "figure", "data-key": name },
    h("dt", {}, name),
    h("dd", {},
      h("span", { class: `value ${kind}` }, value),
      share !== null && bar(share),
      more && h("span", { class: "faint" }, more)));
}

/** A bar; what it says always stands beside it. */
function bar(share) {
  return h("progress", { max: 100, value: share, "aria-hidden": "true" });
}
