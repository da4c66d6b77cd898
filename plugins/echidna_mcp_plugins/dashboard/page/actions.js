// What people do: each control names its action in `data-do`.

const ACTIONS = {
  refresh() {
    if (host.only) source.call(host.input).catch((error) => showNotice(error.message));
    else feed.news(null);
  },
  fullscreen() {
    source.toggleFullscreen().catch((error) => showNotice(error.message));
  },
  test({ name }) {
    ui.test = name;
    tabs.choose("tests");
  },
  copy() {
    const uri = reproducerUri(chosenTest());
    copy(callText(campaign().contract, feed.get(uri).calls)).then(() => {
      ui.copied = true;
      announce("Copied.");
      setTimeout(() => { ui.copied = false; draw(); }, 2000);
      draw();
    }, (error) => announce(error.message));
  },
  source({ path, line }) {
    const file = feed.get(COVERAGE).sources.find((each) => each.path === path);
    if (!file) return;
    goTo(file.file, Math.floor((line - 1) / LINES_PER_PAGE), Number(line));
    tabs.choose("source");
  },
  file(_, value) {
    goTo(Number(value), 0, null);
    feed.look();
  },
  page({ page }) {
    goTo(ui.source.file, Number(page), null);
    feed.look();
  },
  gap({ way }) {
    const page = feed.get(sourceUri());
    const line = page && nextGap(page, ui.source.line, Number(way));
    if (line === undefined) {
      announce("No further gap on this page.");
      return;
    }
    goTo(ui.source.file, ui.source.page, line);
  },
  sequence({ index }) {
    ui.sequence = Number(index);
    feed.look();
  },
  "sequence-number"(_, value) {
    const last = campaign().corpus.sequences - 1;
    ui.sequence = Math.min(last, Math.max(0, Math.trunc(Number(value)) || 0));
    feed.look();
  },
  "event-type"(_, value) {
    ui.eventType = value;
    feed.look();
  },
  "function-filter"(_, value) {
    ui.filter.text = value;
  },
  incomplete(_, __, checked) {
    ui.filter.incomplete = checked;
  },
};

function goTo(file, page, line) {
  ui.source = { file, page, line };
  ui.jump = line !== null;
}

function act(event) {
  const element = event.target.closest?.("[data-do]");
  if (!element) return;
  const typed = ["INPUT", "SELECT"].includes(element.nodeName);
  if (typed === (event.type === "click")) return;
  ACTIONS[element.dataset.do](element.dataset, element.value, element.checked);
  draw();
}
