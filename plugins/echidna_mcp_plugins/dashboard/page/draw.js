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
    hover: ui.hover, widthOf: chartWidth,
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
  const uri = reproducerUri(test);
  renderTests({
    campaign: campaign(), chosen: test, copied: ui.copied,
    reproducer: uri && feed.get(uri), error: uri && feed.error(uri),
  });
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
  const uri = sourceUri();
  renderSource({
    coverage: feed.get(COVERAGE), error: feed.error(COVERAGE), at: sourcePlace(),
    page: uri && feed.get(uri), pageError: uri && feed.error(uri),
  });
  const row = byId("panel-source").querySelector(".target");
  if (ui.jump && row) {
    ui.jump = false;
    row.scrollIntoView({ block: "center" });
    row.focus({ preventScroll: true });
  }
}

function drawCorpus() {
  const uri = sequenceUri();
  renderCorpus({
    campaign: campaign(), index: ui.sequence,
    entry: uri && feed.get(uri), error: uri && feed.error(uri),
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
