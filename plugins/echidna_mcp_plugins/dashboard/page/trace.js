// What a call sequence did: a tree of calls, of which each opens and closes.

/** Levels that are open at first. */
const OPEN_LEVELS = 2;

/** A trace, as `echidna://campaign/findings/…` has it. */
function traceTree(trace) {
  const messages = trace.calls.map((message, n) => traceMessage(message, `call ${n + 1}`, `c${n}`));
  if (trace.question) messages.push(traceMessage(trace.question, "judged by", "question"));
  return [
    messages.length
      ? h("ol", { class: "trace", "data-key": trace.subject }, messages)
      : h("p", { class: "faint" }, "There are no calls."),
    trace.leftOut && h("p", { class: "faint" }, trace.leftOut),
  ];
}

function traceMessage(message, title, key) {
  if (!message) {
    return h("li", { "data-key": key }, h("p", { class: "faint" },
      `${title}: left out, for nothing is there that could be called`));
  }
  const facts = [title, `from ${address(message.sender)}`];
  if (message.timeDelay) facts.push(`after ${duration(message.timeDelay)}`);
  if (message.blockDelay) facts.push(`after ${counted(message.blockDelay, "block")}`);
  facts.push(`${whole(message.gasUsed)} gas`);
  return h("li", { "data-key": key },
    h("p", { class: "faint", title: message.sender }, facts.join(", ")),
    message.trace
      ? traceCall(message.trace, 1)
      : h("p", { class: "bad" }, `✗ ended with ${message.status} before it ran`));
}

function traceCall(call, level) {
  const head = [callHead(call), ending(call)];
  if (!call.inner.length && !call.hidden) return h("div", { class: "step" }, head);
  return h("details", { class: "step", open: level <= OPEN_LEVELS || failsWithin(call) },
    h("summary", {}, head),
    h("ul", {},
      call.inner.map((each) => h("li", {}, traceInner(each, level + 1))),
      call.hidden > 0 && h("li", { class: "faint" }, `… ${counted(call.hidden, "call")}, too deep to be shown`)));
}

/** Whether a failure began further down: then the way there is open. */
function failsWithin(call) {
  return Boolean(call.reason)
    && call.inner.some((each) => each.reason);
}

function traceInner(each, level) {
  switch (each.kind) {
    case "log":
      return h("div", { class: "step" }, h("span", { class: "faint" }, "emit "),
        `${each.name ?? "log"}(${values(each.arguments)})`);
    case "storage":
      return h("div", { class: "step warn" }, `${each.name}: ${each.before} → ${each.after}`);
    case "selfdestruct":
      return h("div", { class: "step warn", title: each.address },
        `selfdestruct${each.value === "0" ? "" : `{value: ${wei(each.value)}}`}(${each.heir})`);
    case "omitted":
      return h("div", { class: "step faint" }, `… ${whole(each.count)} more, left out`);
    default:
      return traceCall(each, level);
  }
}

function callHead(call) {
  if (call.console) return [h("span", { class: "faint" }, "console.log "), call.console.join(" ⏎ ")];
  const creates = call.kind.startsWith("create");
  const paid = call.value === "0" ? "" : `{value: ${wei(call.value)}}`;
  const notes = [];
  if (!["call", "create"].includes(call.kind)) notes.push(call.kind);
  if (call.mocked) notes.push("mocked");
  if (call.gasUsed) notes.push(`${whole(call.gasUsed)} gas`);
  return [
    creates ? [h("span", { class: "code-keyword" }, "new "), call.contract || "contract of unknown code"]
      : [h("span", { class: "faint", title: call.address }, `${call.contract}.`), h("strong", {}, call.function)],
    `${paid}(${values(call.arguments)})`,
    notes.length > 0 && h("span", { class: "faint" }, ` [${notes.join(", ")}]`),
  ];
}

function ending(call) {
  const overruled = call.overruled ? ` (${call.overruled})` : "";
  if (call.reason) return h("span", { class: "bad" }, ` ✗ ${call.reason}${overruled}`);
  if (call.results.length) return h("span", { class: "good" }, ` → ${values(call.results)}${overruled}`);
  return overruled;
}

function values(all) {
  return all.map(({ name, value }) => (name ? `${name}: ${value}` : value)).join(", ");
}

/** Where a sequence failed: the first place of the last call that has one, or null. */
function failurePlace(trace) {
  const messages = [...trace.calls, trace.question].filter(Boolean);
  return messages.map((message) => message.failure[0]).filter(Boolean).at(-1) ?? null;
}

/** A line of source with its neighbours. */
function excerpt(place, canJump) {
  const lines = highlighted(place.source.map((each) => each.text), languageOf(place.path));
  return h("figure", { class: "excerpt" },
    h("figcaption", {}, canJump
      ? h("button", {
        type: "button", class: "link", "data-do": "source", "data-path": place.path, "data-line": place.line,
      }, `${place.path}:${place.line}`)
      : h("code", {}, `${place.path}:${place.line}`)),
    h("div", { class: "excerpt-lines", tabindex: 0, role: "region", "aria-label": `Source around line ${place.line}` },
      place.source.map((each, n) => h("div", { class: each.line === place.line ? "at" : "" },
        h("span", { class: "number" }, `${each.line === place.line ? "▸ " : ""}${each.line}`),
        h("code", {}, coloured(lines[n]))))));
}
