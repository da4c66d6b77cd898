// Where the page gets its data from inside an MCP client: the client itself, over
// postMessage (MCP Apps, SEP-1865, revision 2026-01-26).

const APPS_REVISION = "2026-01-26";
const ANSWER_SECONDS = 20;
const POLL_SECONDS = 5;
const METHOD_NOT_FOUND = -32601;

class HostSource {
  live = false;

  /**
   * `told` hears: `status`, `news`, and `host(context)`, `input(arguments)`,
   * `result(result of show_coverage)`.
   */
  constructor(told) {
    this.told = told;
    this.context = {};
    this.capabilities = {};
    this.waiting = new Map();
    this.number = 0;
    this.ended = false;
    window.addEventListener("message", (event) => {
      if (event.source === window.parent) this.#receive(event.data);
    });
  }

  async start() {
    this.told.status("Connecting", false);
    const answer = await this.#ask("ui/initialize", {
      protocolVersion: APPS_REVISION,
      appInfo: { name: "echidna-mcp", title: "Campaign view", version: "1" },
      appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
    }, Infinity);
    this.capabilities = answer.hostCapabilities ?? {};
    this.#merge(answer.hostContext ?? {});
    this.#tell("ui/notifications/initialized", {});
    this.#reportSize();
    this.told.status("Connected", true);
    this.told.news(null);
    setInterval(() => {
      if (!this.ended && !document.hidden) this.told.news(null);
    }, POLL_SECONDS * 1000);
  }

  async read(uri) {
    const { contents } = await this.#ask("resources/read", { uri });
    const text = contents?.[0]?.text;
    if (typeof text !== "string") throw new Refused(500, "The client sent no text.");
    return text;
  }

  /** Call `show_coverage` again, for clients that let the page read no resources. */
  async call(given) {
    const result = await this.#ask("tools/call", { name: "show_coverage", arguments: given });
    this.told.result(result);
  }

  get modes() {
    return this.context.availableDisplayModes ?? [];
  }

  async toggleFullscreen() {
    const mode = this.context.displayMode === "fullscreen" ? "inline" : "fullscreen";
    const answer = await this.#ask("ui/request-display-mode", { mode });
    this.#merge({ displayMode: answer.mode });
  }

  #ask(method, params, seconds = ANSWER_SECONDS) {
    this.number += 1;
    const id = this.number;
    return new Promise((resolve, reject) => {
      const timer = seconds === Infinity ? null : setTimeout(() => {
        this.waiting.delete(id);
        reject(new Refused(504, "The client did not answer."));
      }, seconds * 1000);
      this.waiting.set(id, { resolve, reject, timer });
      this.#send({ jsonrpc: "2.0", id, method, params });
    });
  }

  #tell(method, params) {
    this.#send({ jsonrpc: "2.0", method, params });
  }

  /** The origin of a client is unknown to us, and nothing that we send it is secret. */
  #send(message) {
    if (!this.ended) window.parent.postMessage(message, "*");
  }

  #receive(message) {
    if (message?.jsonrpc !== "2.0") return;
    if (message.method === undefined) this.#settle(message);
    else if (message.id === undefined) this.#hear(message.method, message.params ?? {});
    else this.#answer(message);
  }

  #settle({ id, result, error }) {
    const asked = this.waiting.get(id);
    if (!asked) return;
    this.waiting.delete(id);
    clearTimeout(asked.timer);
    if (error) asked.reject(new Refused(error.code, error.message ?? "The client refused."));
    else asked.resolve(result ?? {});
  }

  #hear(method, params) {
    if (method === "ui/notifications/tool-input") this.told.input(params.arguments ?? {});
    if (method === "ui/notifications/tool-result") this.told.result(params);
    if (method === "ui/notifications/tool-cancelled") {
      this.told.status("The call was cancelled", false);
    }
    if (method === "ui/notifications/host-context-changed") this.#merge(params);
  }

  #answer({ id, method }) {
    if (method === "ping" || method === "ui/resource-teardown") {
      this.#send({ jsonrpc: "2.0", id, result: {} });
      if (method !== "ping") this.ended = true;
    } else {
      const error = { code: METHOD_NOT_FOUND, message: `No method ${method}.` };
      this.#send({ jsonrpc: "2.0", id, error });
    }
  }

  #merge(context) {
    Object.assign(this.context, context);
    this.told.host(this.context);
  }

  #reportSize() {
    let told = "";
    const report = () => {
      const { width } = document.documentElement.getBoundingClientRect();
      const size = { width: Math.ceil(width), height: Math.ceil(document.body.offsetHeight) };
      if (`${size.width} ${size.height}` === told) return;
      told = `${size.width} ${size.height}`;
      this.#tell("ui/notifications/size-changed", size);
    };
    let soon = 0;
    new ResizeObserver(() => {
      cancelAnimationFrame(soon);
      soon = requestAnimationFrame(report);
    }).observe(document.body);
    report();
  }
}
