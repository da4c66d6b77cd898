// Source files with what was reached: marks and words, not colours alone.

/** Lines of one page, as the server cuts files. */
const LINES_PER_PAGE = 200;

const REACHED = new Map([
  [true, ["hit", "✓", "reached"]],
  [false, ["miss", "✗", "not reached"]],
  [undefined, ["none", "", "not executable"]],
]);

function renderSource({ coverage, error, at, page, pageError }) {
  const panel = byId("panel-source");
  if (!coverage) {
    patch(panel, waiting("the list of sources", error));
    return;
  }
  if (!coverage.sources.length) {
    patch(panel, h("p", { class: "empty" }, "The sources of this program are not known."));
    return;
  }
  const file = coverage.sources.find((each) => each.file === at.file);
  patch(panel,
    h("div", { class: "bar", "data-key": "bar" },
      h("label", {}, "File ", h("select", { "data-do": "file" }, coverage.sources.map((each) =>
        h("option", { value: each.file, selected: each.file === at.file }, each.path)))),
      file && file.pages > 1 && h("span", { class: "pager" },
        h("button", { type: "button", "data-do": "page", "data-page": at.page - 1, disabled: at.page === 0 }, "Previous page"),
        h("span", {}, `Page ${at.page + 1} of ${file.pages}`),
        h("button", { type: "button", "data-do": "page", "data-page": at.page + 1, disabled: at.page + 1 >= file.pages }, "Next page")),
      h("span", { class: "pager" },
        h("button", { type: "button", "data-do": "gap", "data-way": "-1" }, "Previous gap"),
        h("button", { type: "button", "data-do": "gap", "data-way": "1" }, "Next gap"))),
    page ? [legend(page), sourceTable(page, at.line, neverEntered(coverage, page.path))] : waiting("the source", pageError));
}

function legend(page) {
  const count = (wanted) => page.lines.filter((line) => line.covered === wanted).length;
  return h("ul", { class: "legend", "data-key": "legend" },
    h("li", {}, h("span", { class: "key hit" }, "✓"), ` ${counted(count(true), "line")} reached`),
    h("li", {}, h("span", { class: "key miss" }, "✗"), ` ${counted(count(false), "line")} not reached`),
    h("li", {}, h("span", { class: "branch both" }, "2/2"), " both branches taken"),
    h("li", {}, h("span", { class: "branch one" }, "1/2"), " one of two"),
    h("li", {}, h("span", { class: "branch neither" }, "0/2"), " none"));
}

/** Lines of a file at which functions begin of which nothing was reached. */
function neverEntered(coverage, path) {
  const reached = new Map();
  const all = coverage.contracts.flatMap((contract) => contract.functions);
  for (const each of all.filter((one) => one.path === path && one.lines)) {
    // A function that several contracts inherit is listed with each.
    reached.set(each.line, (reached.get(each.line) ?? 0) + each.coveredLines);
  }
  return new Set([...reached].filter(([, lines]) => !lines).map(([line]) => line));
}

function sourceTable(page, target, never) {
  const texts = highlighted(page.lines.map((line) => line.text), languageOf(page.path));
  const first = page.lines[0]?.line ?? 1;
  const last = page.lines.at(-1)?.line ?? 0;
  const end = Math.min(page.totalLines, (page.page + 1) * LINES_PER_PAGE);
  return h("div", {
    class: "source", "data-key": `${page.file}/${page.page}`,
    tabindex: 0, role: "region", "aria-label": `Source of ${page.path}`,
  },
    h("table", {},
      h("caption", { class: "unseen" }, `${page.path}, lines ${first} to ${last}`),
      h("thead", { class: "unseen" }, h("tr", {},
        ["Line", "Reached", "Branches taken", "Code"].map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, page.lines.map((line, n) =>
        sourceRow(line, coloured(texts[n]), { target: line.line === target, never: never.has(line.line) })))),
    last < end && h("p", { class: "faint" },
      `Lines ${last + 1} to ${end} are too long to be shown.`));
}

function sourceRow(line, code, { target, never }) {
  const [kind, mark, text] = REACHED.get(line.covered);
  return h("tr", {
    class: target ? `${kind} target` : kind, "data-key": line.line,
    tabindex: target ? -1 : null, "aria-current": target ? "true" : null,
  },
  h("th", { scope: "row" }, line.line),
  h("td", { class: "reached" }, mark && h("span", { "aria-hidden": "true" }, mark), unseen(text)),
  h("td", { class: "branches" }, branchMarks(line.branches ?? [])),
  h("td", {}, h("code", {}, code), never && h("span", { class: "never" }, "✗ function never entered")));
}

function branchMarks(branches) {
  return branches.map((branch) => {
    const taken = branch ? branch.filter(Boolean).length : 0;
    const kind = ["neither", "one", "both"][taken];
    return h("span", { class: `branch ${kind}`, title: branchText(branch, taken) },
      h("span", { "aria-hidden": "true" }, `${taken}/2`), unseen(branchText(branch, taken)));
  });
}

function branchText(branch, taken) {
  if (!branch) return "condition never evaluated";
  return ["no branch taken", "one of two branches taken", "both branches taken"][taken];
}

/** Whether something of a line was not reached. */
function isGap(line) {
  return line.covered === false
    || (line.branches ?? []).some((branch) => !branch || !branch.every(Boolean));
}

/** The next line with a gap in one direction, or undefined. */
function nextGap(page, from, way) {
  const lines = way > 0 ? page.lines : [...page.lines].reverse();
  return lines.find((line) => isGap(line) && (from === null || way * (line.line - from) > 0))?.line;
}
