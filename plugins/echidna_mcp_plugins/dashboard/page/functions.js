// What became of the calls of each function.

function renderFunctions({ statistics, error }) {
  const panel = byId("panel-functions");
  if (!statistics) {
    patch(panel, waiting("the functions", error));
    return;
  }
  const more = statistics.total - statistics.functions.length;
  patch(panel,
    h("p", { class: "faint", "data-key": "note" },
      "Calls and reverts are exact; reasons and gas are of the calls that the campaign logs, a sample."),
    h("ul", { class: "function-list", "data-key": "list" }, statistics.functions.map(functionCard)),
    more > 0 && h("p", { class: "faint", "data-key": "more" }, `and ${counted(more, "more function")}`));
}

function functionCard(each) {
  const share = each.calls ? (100 * each.reverts) / each.calls : 0;
  const sampled = each.reasons.reduce((sum, reason) => sum + reason.sampledCalls, 0);
  return h("li", { class: "card", "data-key": each.function },
    h("h2", { class: "name" }, each.function),
    h("dl", { class: "counts" },
      count("Calls", whole(each.calls)),
      count("Reverted", each.calls ? `${whole(each.reverts)} (${percent(share)})` : "0",
        each.calls > 0 && each.reverts === each.calls ? "bad" : ""),
      each.discards > 0 && count("Discarded", whole(each.discards)),
      each.gas && count("Gas, average", whole(each.gas.average)),
      each.gas && count("Gas, range", `${whole(each.gas.least)} to ${whole(each.gas.most)}`)),
    each.calls > 0 && each.reverts === each.calls
      && h("p", { class: "bad" }, "No call got through, so nothing behind its checks was tried."),
    !each.calls && h("p", { class: "warn" }, "Not called so far."),
    each.reasons.length > 0 && h("table", { class: "reasons" },
      h("caption", { class: "unseen" }, `Why calls of ${each.function} failed`),
      h("thead", { class: "unseen" }, h("tr", {},
        h("th", { scope: "col" }, "Reason"), h("th", { scope: "col" }, "Share of the sample"))),
      h("tbody", {}, each.reasons.map((reason) => h("tr", { "data-key": reason.reason },
        h("th", { scope: "row" }, h("code", {}, reason.reason)),
        h("td", { class: "wide" }, bar((100 * reason.sampledCalls) / sampled)),
        h("td", { class: "number" }, percent((100 * reason.sampledCalls) / sampled)))))),
    each.furtherReasons > 0 && h("p", { class: "faint" }, `and ${counted(each.furtherReasons, "more reason")}`));
}

function count(name, value, kind = "") {
  return h("div", { "data-key": name }, h("dt", {}, name), h("dd", { class: kind }, value));
}
