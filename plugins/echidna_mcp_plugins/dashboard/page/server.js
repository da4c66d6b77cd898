// Where the page gets its data from when a browser shows it: our own server.

const TOKEN = "echidna-mcp-token";

class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

class ServerSource {
  live = true;

  /** `told` hears: `status(text, good)`, `news(uris or null for all)`, `token()`. */
  constructor(told) {
    this.told = told;
    this.token = this.#takeToken();
    this.stream = null;
  }

  /** The token stands in the fragment, which is sent to no server; nor is it left there. */
  #takeToken() {
    const given = new URLSearchParams(location.hash.slice(1)).get("token");
    if (given) {
      history.replaceState(null, "", location.pathname + location.search);
      sessionStorage.setItem(TOKEN, given);
    }
    return sessionStorage.getItem(TOKEN);
  }

  useToken(token) {
    this.token = token;
    sessionStorage.setItem(TOKEN, token);
    this.start();
  }

  async start() {
    this.stream?.abort();
    const stream = new AbortController();
    this.stream = stream;
    let pause = 1000;
    while (!stream.signal.aborted) {
      try {
        const response = await this.#get("/dashboard/live", stream.signal);
        for await (const event of serverEvents(response.body)) {
          pause = 1000;
          this.told.status("Live", true);
          if (event.type === "ready" || event.type === "change") {
            const { uris, all } = JSON.parse(event.data);
            this.told.news(all ? null : uris);
          }
        }
      } catch (error) {
        if (stream.signal.aborted) return;
        if (error.status === 401) {
          this.told.token();
          return;
        }
      }
      this.told.status("Server not reached, trying again", false);
      await new Promise((resume) => { setTimeout(resume, pause); });
      pause = Math.min(2 * pause, 8000);
    }
  }

  async read(uri) {
    const response = await this.#get(`/dashboard/read?uri=${encodeURIComponent(uri)}`);
    return response.text();
  }

  async #get(path, signal) {
    const headers = this.token ? { Authorization: `Bearer ${this.token}` } : {};
    const response = await fetch(path, { headers, signal, cache: "no-store" });
    if (response.ok) return response;
    const body = await response.json().catch(() => ({}));
    throw new Refused(response.status, body.error?.message ?? `Status ${response.status}.`);
  }
}

/** Yield the events of an event stream (HTML standard, §9.2.6); comments are skipped. */
async function* serverEvents(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  let event = { type: "message", data: "" };
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += value;
    const lines = text.split(/\r\n|\n|\r(?!$)/);
    text = lines.pop();
    for (const line of lines) {
      const [, name, content] = /^([^:]*):? ?(.*)$/.exec(line);
      if (!line) {
        if (event.data) yield event;
        event = { type: "message", data: "" };
      } else if (name === "event") {
        event.type = content;
      } else if (name === "data") {
        event.data += event.data ? `\n${content}` : content;
      }
    }
  }
}
