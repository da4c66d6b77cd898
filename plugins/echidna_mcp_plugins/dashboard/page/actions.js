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
    // Where there is no room beside the list, what was chosen opens below it.
    ui.reveal = true;
  },
  copy() {
    copyAs("sequence", callText(feed.get(findingUri(chosenTest())).calls));
  },
  "copy-foundry"() {
    copyAs("foundry", feed.get(findingUri(chosenTest())).foundry.text);
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
    if (line) {
      goTo(ui.source.file, ui.source.page, line);
      return;
    }
    const other = nextPageWithGap(Number(way));
    if (other === undefined) {
      announce("No further gap in this file.");
      return;
    }
    goTo(ui.source.file, other, null);
    ui.seek = Number(way);
    feed.look();
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
  ui.jump = line === null ? "" : "go";
  ui.seek = 0;
}

/** The next page of the shown file with a gap, in one direction. */
function nextPageWithGap(way) {
  const file = feed.get(COVERAGE)?.sources.find((each) => each.file === ui.source.file);
  const pages = file?.pagesWithGaps ?? [];
  return (way > 0 ? pages : [...pages].reverse()).find((page) => way * (page - ui.source.page) > 0);
}

function copyAs(what, text) {
  copy(text).then(() => {
    ui.copied = what;
    announce("Copied.");
    setTimeout(() => { ui.copied = ""; draw(); }, 2000);
    draw();
  }, (error) => announce(error.message));
}

function act(event) {
  const element = event.target.closest?.("[data-do]");
  if (!element) return;
  const typed = ["INPUT", "SELECT"].includes(element.nodeName);
  if (typed === (event.type === "click")) return;
  ACTIONS[element.dataset.do](element.dataset, element.value, element.checked);
  draw();
}
