// Coverage of each contract and each of its functions.

function renderCoverage({ coverage, error, filter, open, canJump }) {
  const panel = byId("panel-coverage");
  if (!coverage) {
    patch(panel, waiting("coverage", error));
    return;
  }
  const wanted = filter.text.toLowerCase();
  patch(panel,
    h("div", { class: "bar", "data-key": "bar" },
      h("label", {}, "Find a function ",
        h("input", { type: "text", id: "function-filter", "data-do": "function-filter", value: filter.text, autocomplete: "off" })),
      h("label", { class: "check" },
        h("input", { type: "checkbox", "data-do": "incomplete", checked: filter.incomplete }),
        " Only what is not fully covered")),
    coverage.contracts.map((contract) =>
      contractCard(contract, { wanted, filter, canJump, chosen: open === contract.name })),
    coverage.totalContracts > coverage.contracts.length && h("p", { class: "faint", "data-key": "more" },
      `and ${counted(coverage.totalContracts - coverage.contracts.length, "more contract")}, too many to list`),
    !coverage.contracts.length && h("p", { class: "empty", "data-key": "none" }, "No contract has code with a source."));
}

function contractCard(contract, { wanted, filter, canJump, chosen }) {
  const { path, name } = qualified(contract.name);
  const functions = contract.functions.filter((each) =>
    (!filter.incomplete || each.coveredLines < each.lines)
    && each.signature.toLowerCase().includes(wanted));
  return h("section", { class: `card${chosen ? " chosen" : ""}`, "data-key": contract.name },
    h("h2", { title: path }, name),
    h("div", { class: "shares" },
      share("Lines", contract.lineCoverage, `${contract.coveredLines} of ${contract.lines}`),
      share("Branches", contract.branchCoverage, contract.branches ?? "")),
    h("table", { class: "functions" },
      h("thead", {}, h("tr", {},
        h("th", { scope: "col" }, "Function"),
        h("th", { scope: "col", class: "wide" }, unseen("Share of lines")),
        h("th", { scope: "col", class: "number" }, "Lines"))),
      h("tbody", {}, functions.map((each) => functionRow(each, canJump)))),
    !functions.length && h("p", { class: "empty" }, contract.functions.length
      ? "No function is like that." : "No functions of its own."),
    missing(contract, canJump));
}

function share(name, value, more) {
  return h("div", { class: "share" },
    h("span", {}, name), bar(value), h("strong", {}, percent(value)),
    h("span", { class: "faint" }, more));
}

function functionRow(each, canJump) {
  const value = each.lines ? (100 * each.coveredLines) / each.lines : 0;
  const jump = canJump && each.path !== undefined;
  return h("tr", { "data-key": `${each.path}:${each.line}:${each.signature}` },
    h("th", { scope: "row" }, jump
      ? h("button", {
        type: "button", class: "link", "data-do": "source",
        "data-path": each.path, "data-line": each.line, title: `${each.path}, line ${each.line}`,
      }, each.signature)
      : h("code", {}, each.signature)),
    h("td", { class: "wide" }, bar(value)),
    h("td", { class: "number" },
      each.coveredLines === each.lines ? h("span", { class: "good" }, "✓ ") : null,
      `${each.coveredLines}/${each.lines}`));
}

function missing(contract, canJump) {
  const files = Object.entries(contract.uncoveredLines ?? {});
  if (!files.length) return null;
  return h("details", {},
    h("summary", {}, "Lines not reached"),
    files.map(([path, ranges]) => h("p", { class: "ranges", "data-key": path },
      h("code", {}, path), ": ",
      ranges.split(",").map((range, n) => [n ? " " : "", canJump
        ? h("button", {
          type: "button", class: "link", "data-do": "source",
          "data-path": path, "data-line": range.split("-")[0],
        }, range)
        : range]))));
}

/** A result of `show_coverage` in the form of `echidna://campaign/coverage`. */
function coverageOfResult(result) {
  return {
    round: result.round ?? 0,
    points: result.points ?? 0,
    lineCoverage: result.overallCoverage ?? 0,
    sources: [],
    totalContracts: result.contracts.length,
    contracts: result.contracts.map((contract) => ({
      name: contract.file ? `${contract.file}:${qualified(contract.name).name}` : contract.name,
      lineCoverage: contract.lineCoverage,
      branchCoverage: contract.branchCoverage,
      branches: contract.totalBranches === undefined ? ""
        : `${contract.coveredBranches} of ${contract.totalBranches}`,
      lines: contract.totalLines ?? 0,
      coveredLines: contract.coveredLines ?? 0,
      functions: (contract.functions ?? []).map((each) => ({
        signature: each.signature, lines: each.totalLines ?? 0, coveredLines: each.coveredLines ?? 0,
      })),
    })),
  };
}
