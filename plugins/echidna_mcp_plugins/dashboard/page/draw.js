// The page as it is to look now.

let frame = 0;

/** Draw soon: much may change between two frames. */
function draw() {
  if (!frame) frame = requestAnimationFrame(drawNow);
}

function drawNow() {
  frame = 0;
  renderHeader({ campaign: campaign(), samples: samples(), coverage: coverage() });
  const view = {
    overview: drawOverview,
    tests: drawTests,
    functions: drawFunctions,
    coverage: drawCoverage,
    source: drawSource,
    corpus: drawCorpus,
    events: drawEvents,
  }[tabs.view];
  view();
}

function drawOverview() {
  renderOverview({
    campaign: campaign(), samples: samples(), executions: feed.get(EXECUTIONS)?.executions ?? [],
    curves: curves(), hover: ui.hover, widthOf: chartWidth,
  });
}

/** Charts are drawn to their size, which is known when they stand there. */
function chartWidth(panel) {
  const place = panel.querySelector(".chart");
  if (!place) draw();
  const style = place && getComputedStyle(place);
  return Math.max(240, Math.floor(place
    ? place.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight)
    : Math.min(panel.clientWidth, 560)));
}

function drawTests() {
  const test = chosenTest();
  const uri = findingUri(test);
  const curve = test?.maximizes && curves().find((each) => each.title === test.name);
  renderTests({
    campaign: campaign(), chosen: test, copied: ui.copied, curve, widthOf: chartWidth,
    at: curve && ui.hover?.id === curve.id ? ui.hover.seconds : null, canJump: Boolean(feed.get(COVERAGE)?.sources.length),
    finding: uri && feed.get(uri), error: uri && feed.error(uri),
  });
  const detail = byId("test-detail");
  // Before all of it is there, the page may be too short to be scrolled so far.
  if (ui.reveal && detail && (!uri || feed.get(uri) || feed.error(uri))) {
    ui.reveal = false;
    const { top } = detail.getBoundingClientRect();
    if (top > window.innerHeight / 2 || top < 0) detail.scrollIntoView({ block: "start" });
  }
}

function drawFunctions() {
  renderFunctions({ statistics: feed.get(FUNCTIONS), error: feed.error(FUNCTIONS) });
}

function drawCoverage() {
  const all = coverage();
  const open = all?.contracts.find(({ name }) =>
    [name, qualified(name).name].includes(host.input.contract))?.name;
  renderCoverage({
    coverage: all, error: feed.error(COVERAGE), filter: ui.filter, open,
    canJump: Boolean(feed.get(COVERAGE)?.sources.length),
  });
}

function drawSource() {
  const at = sourcePlace();
  const uri = sourceUri();
  const page = uri && feed.get(uri);
  if (ui.seek && page) {
    const line = nextGap(page, null, ui.seek);
    goTo(at.file, at.page, line ?? null);
  }
  renderSource({
    coverage: feed.get(COVERAGE), error: feed.error(COVERAGE), at: ui.source,
    page, pageError: uri && feed.error(uri),
  });
  const row = byId("panel-source").querySelector(".target");
  if (!ui.jump || !row) return;
  row.scrollIntoView({ block: "center" });
  if (ui.jump === "go") row.focus({ preventScroll: true });
  ui.jump = "";
}

function drawCorpus() {
  const uri = sequenceUri();
  renderCorpus({
    campaign: campaign(), index: ui.sequence,
    entry: uri && feed.get(uri), error: uri && feed.error(uri),
    trace: uri && feed.get(sequenceTraceUri()), traceError: uri && feed.error(sequenceTraceUri()),
  });
}

function drawEvents() {
  const uri = eventsUri();
  renderEvents({ type: ui.eventType, events: feed.get(uri)?.events, error: feed.error(uri) });
}

function showStatus(text, good) {
  const place = byId("connection");
  place.className = `connection ${good ? "good" : "warn"}`;
  patch(place, `${good ? "●" : "○"} ${text}`);
}

function showNotice(text) {
  const place = byId("notice");
  place.hidden = !text;
  place.textContent = text;
}
