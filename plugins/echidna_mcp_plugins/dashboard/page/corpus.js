// The corpus, one call sequence at a time.

function renderCorpus({ campaign, index, entry, error, trace, traceError }) {
  const panel = byId("panel-corpus");
  if (!campaign) {
    patch(panel, waiting("the corpus"));
    return;
  }
  const total = campaign.corpus.sequences;
  if (!total) {
    patch(panel, h("p", { class: "empty" }, "The corpus is empty so far."));
    return;
  }
  const step = (to, text) => h("button", {
    type: "button", "data-do": "sequence", "data-index": to, disabled: to < 0 || to >= total,
  }, text);
  patch(panel,
    h("div", { class: "bar", "data-key": "bar" },
      h("span", { class: "pager" },
        step(index - 1, "Previous"), step(index + 1, "Next"),
        h("button", { type: "button", "data-do": "sequence", "data-index": total - 1, disabled: index === total - 1 }, "Newest")),
      h("span", { class: "pager" },
        h("label", {}, "Sequence ",
          h("input", { type: "number", "data-do": "sequence-number", min: 0, max: total - 1, step: 1, value: index })),
        h("span", {}, `of ${whole(total)}, from 0`))),
    entry ? corpusCard(entry, trace, traceError) : waiting("the sequence", error));
}

function corpusCard(entry, trace, traceError) {
  const more = entry.length - entry.calls.length;
  return h("section", { class: "card", "data-key": entry.sequence },
    h("h2", {}, `Sequence ${whole(entry.sequence)}: ${counted(entry.length, "call")}`),
    h("p", {},
      entry.injected ? "Injected" : "Found",
      entry.worker === null || entry.worker === undefined ? "" : ` by worker ${entry.worker}`,
      ` in round ${whole(entry.round)}; it added ${counted(entry.newPoints, "point")} of coverage.`),
    callList(entry.calls, trace),
    more > 0 && h("p", { class: "faint" }, `and ${counted(more, "more call")}`),
    h("details", { class: "part", "data-key": "trace" },
      h("summary", {}, h("h3", {}, "Trace")),
      trace ? traceTree(trace) : waiting("the trace: the calls are executed once more", traceError)));
}
