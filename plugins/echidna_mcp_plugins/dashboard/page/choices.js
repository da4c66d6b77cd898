// What is chosen, and what is to be read for it.

/** What whoever looks at the page has chosen. */
const ui = {
  test: null,
  source: { file: null, page: 0, line: null },
  /** Where to go in the source: "show" scrolls there, "go" takes the focus along. */
  jump: "",
  /** 1 or -1 while the first or last gap of a page is to be found that is being read. */
  seek: 0,
  sequence: null,
  /** Whether what is chosen is to be scrolled to. */
  reveal: false,
  eventType: "",
  filter: { text: "", incomplete: false },
  hover: null,
  /** What was copied just now: "sequence", "foundry" or nothing. */
  copied: "",
};

/** What the client said that called the tool, if a client shows the page. */
const host = { input: {}, result: null, only: false };

function wanted() {
  if (host.only || (!INSIDE && !byId("token").hidden)) return [];
  const more = {
    overview: () => [EXECUTIONS, maximizes() && VALUES],
    tests: () => [findingUri(chosenTest()), COVERAGE, maximizes() && VALUES],
    functions: () => [FUNCTIONS],
    coverage: () => [COVERAGE],
    source: () => [COVERAGE, sourceUri()],
    corpus: () => [sequenceUri(), sequenceTraceUri()],
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
  return tests.find((test) => test.name === ui.test) ?? tests[0];
}

function findingUri(test) {
  return test?.finding ? `${ROOT}/findings/${escaped(test.finding)}` : null;
}

function maximizes() {
  return campaign()?.tests.some((test) => test.maximizes) ?? false;
}

/** How the values of optimization tests rose, as charts. */
function curves() {
  return (feed.get(VALUES)?.values ?? []).map((each) => curveOf(each, samples()));
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

/** The chosen place, at first the first gap: of the target's file, if it has one. */
function sourcePlace() {
  const files = feed.get(COVERAGE)?.sources ?? [];
  if (ui.source.file === null && files.length) {
    const { path } = qualified(campaign()?.contract ?? "");
    const own = files.find((each) => each.path === path) ?? files[0];
    const { file, firstGap } = own.firstGap ? own : files.find((each) => each.firstGap) ?? own;
    const page = firstGap ? Math.floor((firstGap - 1) / LINES_PER_PAGE) : 0;
    ui.source = { file, page, line: firstGap };
    ui.jump = firstGap ? "show" : "";
  }
  return ui.source;
}

function sequenceUri() {
  const total = campaign()?.corpus.sequences ?? 0;
  if (!total) return null;
  ui.sequence ??= total - 1;
  return `${ROOT}/corpus/${ui.sequence}`;
}

function sequenceTraceUri() {
  const uri = sequenceUri();
  return uri && `${uri}/trace`;
}

function eventsUri() {
  return ui.eventType ? `${ROOT}/events/${escaped(ui.eventType)}` : `${ROOT}/events`;
}
