// Call sequences: of reproducers and of the corpus.

const RESULTS = {
  STOP: ["good", "✓", "succeeded"],
  RETURN_TRUE: ["good", "✓", "returned 1"],
  RETURN_FALSE: ["good", "✓", "returned 0"],
  REVERT: ["bad", "✗", "reverted"],
  OUT_OF_GAS: ["bad", "✗", "out of gas"],
  INVALID_OPCODE: ["bad", "✗", "invalid opcode"],
  HALT: ["bad", "✗", "halted"],
};

/** One item a call: what is called, by whom, with what, and how it ended if known. */
function callList(calls, trace = null) {
  return h("ol", { class: "calls" }, calls.map((call, n) => h("li", {},
    h("code", { class: "call" }, call.call),
    h("ul", { class: "facts" }, callFacts(call, trace?.calls[n])))));
}

/** What stands below a call; its trace, if there is one, says why it failed. */
function callFacts(call, message) {
  const facts = [];
  const result = call.result ?? message?.status;
  if (result) {
    const [kind, mark, text] = RESULTS[result] ?? ["", "", spaced(result)];
    const reason = message?.trace?.reason;
    facts.push(h("li", { class: kind }, `${mark} ${reason ?? text}`));
  }
  facts.push(h("li", { title: call.sender }, "from ", h("code", {}, address(call.sender))));
  if (call.value !== "0") {
    facts.push(h("li", { title: `${call.value} wei` }, `value ${wei(call.value)}`));
  }
  if (call.timeDelay) {
    facts.push(h("li", { title: counted(call.timeDelay, "second") },
      `after ${duration(call.timeDelay)}`));
  }
  if (call.blockDelay) facts.push(h("li", {}, `after ${counted(call.blockDelay, "block")}`));
  if (call.gasUsed !== undefined) facts.push(h("li", {}, `${whole(call.gasUsed)} gas`));
  return facts;
}

/** The sequence as Echidna writes it, one line a call. */
function callText(calls) {
  return calls.map((call) => `${call.line}\n`).join("");
}

/** Put text on the clipboard, also where only the old way is allowed. */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = h("textarea", { class: "unseen" });
    area.value = text;
    const before = document.activeElement;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    before?.focus();
    if (!done) throw new Error("The clipboard is not available here.");
  }
}
