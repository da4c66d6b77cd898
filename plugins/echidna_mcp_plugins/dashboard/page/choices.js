// What is chosen, and what is to be read for it.

/** What whoever looks at the page has chosen. */
const ui = {
  test: null,
  source: { file: null, page: 0, line: null },
  jump: false,
  sequence: null,
  eventType: "",
  filter: { text: "", incomplete: false },
  hover: null,
  copied: false,
};

/** What the client said that called the tool, if a client shows the page. */
const host = { input: {}, result: null, only: false };

function wanted() {
  if (host.only || (!INSIDE && !byId("token").hidden)) return [];
  const more = {
    overview: () => [EXECUTIONS],
    tests: () => [reproducerUri(chosenTest())],
    coverage: () => [COVERAGE],
    source: () => [COVERAGE, sourceUri()],
    corpus: () => [sequenceUri()],
    events: () => [eventsUri()],
  }[tabs.view]();
  return [ROOT, HISTORY, ...more].filter(Boolean);
}

function campaign() {
  return feed.get(ROOT);
}

function samples() {
  return feed.get(HISTORY)?.samples ?? [];
}

function coverage() {
  return feed.get(COVERAGE) ?? (host.result && coverageOfResult(host.result));
}

function chosenTest() {
  const tests = campaign()?.tests ?? [];
  return tests.find((test) => test.name === ui.test)
    ?? tests.find((test) => test.state !== "open") ?? tests[0];
}

function reproducerUri(test) {
  if (!test || (test.state === "open" && !test.disputed)) return null;
  return test.reproducer ?? `${ROOT}/reproducers/${escaped(test.name)}`;
}

/** As the server escapes what stands in its URIs (RFC 3986: all but unreserved). */
function escaped(text) {
  return encodeURIComponent(text).replace(/[!'()*]/g, (one) =>
    `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
}

function sourceUri() {
  const at = sourcePlace();
  return at.file === null ? null : `${ROOT}/sources/${at.file}/${at.page}`;
}

/** The chosen place, at first the file of the target. */
function sourcePlace() {
  const files = feed.get(COVERAGE)?.sources ?? [];
  if (ui.source.file === null && files.length) {
    const { path } = qualified(campaign()?.contract ?? "");
    ui.source.file = (files.find((each) => each.path === path) ?? files[0]).file;
  }
  return ui.source;
}

function sequenceUri() {
  const total = campaign()?.corpus.sequences ?? 0;
  if (!total) return null;
  ui.sequence ??= total - 1;
  return `${ROOT}/corpus/${ui.sequence}`;
}

function eventsUri() {
  return ui.eventType ? `${ROOT}/events/${escaped(ui.eventType)}` : `${ROOT}/events`;
}
