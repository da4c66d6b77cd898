// The newest events of the campaign.

const EVENT_TYPES = [
  "CampaignResumed", "CampaignStarted", "CampaignStopped", "CertificationExecuted",
  "CertificationFailed", "CertificationSubmitted", "CheatcodeRefused", "CommandAccepted",
  "CommandApplied", "CommandRefused", "ComparisonsSolved", "ComparisonsTried", "CorpusExtended",
  "CorpusInherited", "CoverageIncreased", "DictionaryExtended", "EvidenceSealed", "FalsificationDisputed",
  "OutsideAnswered", "PropertyFalsified", "ReproducerConfirmed", "ReproducerShrunk",
  "RoundCommitted", "SequencesAbandoned", "SolverAnswered", "StopRequested", "TaskAbandoned",
  "TransactionExecuted", "ValueRaised", "WorkerStarted", "WorkerStopped",
];

function renderEvents({ type, events, error }) {
  const panel = byId("panel-events");
  patch(panel,
    h("div", { class: "bar", "data-key": "bar" },
      h("label", {}, "Type ", h("select", { "data-do": "event-type" },
        h("option", { value: "", selected: type === "" }, "All types"),
        EVENT_TYPES.map((each) => h("option", { value: each, selected: each === type }, each)))),
      events && h("span", { class: "faint" },
        `${counted(events.length, "event")}, the newest first; times are UTC`)),
    events ? eventList(events) : waiting("events", error));
}

function eventList(events) {
  if (!events.length) return h("p", { class: "empty", "data-key": "none" }, "No such event so far.");
  return h("ol", { class: "events", "data-key": "events" }, events.map((event) =>
    h("li", { "data-key": event.seq },
      h("div", { class: "what" },
        h("span", { class: "time", title: event.timestamp }, clock(event.timestamp)),
        h("strong", {}, event.eventType),
        h("span", { class: "faint" }, `round ${whole(event.round)} · worker ${event.workerId}`)),
      h("p", { class: "told" }, told(event)),
      h("details", {},
        h("summary", {}, "Details"),
        h("dl", { class: "facts-list" }, Object.entries(event.data).map(([name, value]) => [
          h("dt", {}, name), h("dd", {}, plain(value)),
        ]))))));
}

/** What an event says, in short. */
function told({ eventType, data }) {
  switch (eventType) {
    case "TransactionExecuted": {
      const [kind, mark, text] = RESULTS[data.result] ?? ["", "", data.result ?? ""];
      return [h("code", {}, cut(data.call ?? "")), " ",
        h("span", { class: kind }, `${mark} ${text}`), data.reason ? `: ${data.reason}` : ""];
    }
    case "RoundCommitted":
      return `${counted(data.calls, "call")} in ${counted(data.sequences, "sequence")}, `
        + `${whole(data.reverts)} reverted; ${whole(data.totalCalls)} in all`;
    case "CoverageIncreased":
      return `${counted(data.points, "new point")}, ${whole(data.total)} in all`;
    case "ComparisonsTried":
      return `${counted(data.marksCount, "comparison")} sought another way`;
    case "ComparisonsSolved":
      return `${counted(data.sitesCount, "comparison")} solved for the first time`;
    case "CorpusExtended":
      return `sequence ${data.entry} of ${counted(data.callsCount, "call")} for ${counted(data.newPoints, "new point")}`;
    case "ValueRaised":
      return [h("code", {}, data.property), ` ${data.value}; ${counted(data.callsCount, "call")}`];
    case "PropertyFalsified":
    case "FalsificationDisputed":
    case "ReproducerConfirmed":
    case "ReproducerShrunk":
      return [h("code", {}, data.property), data.reason ? ` ${data.reason};` : "",
        ` ${counted(data.callsCount, "call")}`];
    case "CommandAccepted":
    case "CommandRefused":
    case "CampaignStopped":
      return data.message;
    default:
      return Object.entries(data).filter(([, value]) => typeof value !== "object")
        .slice(0, 4).map(([name, value]) => `${name} ${plain(value)}`).join(", ");
  }
}

function cut(text, most = 160) {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

function plain(value) {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return cut(text, 1000);
}
