// What is known of the campaign: read when it is shown, and again when there is news.

const ROOT = "echidna://campaign";
const HISTORY = `${ROOT}/history`;
const COVERAGE = `${ROOT}/coverage`;
const EXECUTIONS = `${ROOT}/executions`;
const FUNCTIONS = `${ROOT}/functions`;
const VALUES = `${ROOT}/values`;

/** Milliseconds between two readings of the same thing. */
const EVERY = 1000;
/** The history is long, and a chart of the whole campaign moves slowly. */
const EVERY_HISTORY = 3000;

class Feed {
  /**
   * `wanted()` returns the URIs that the page shows; `changed()` is called when something
   * was read; `failed(error)` when nothing can be read at all.
   */
  constructor(source, { wanted, changed, failed }) {
    this.source = source;
    this.wanted = wanted;
    this.changed = changed;
    this.failed = failed;
    this.entries = new Map();
    this.timer = null;
    document.addEventListener("visibilitychange", () => this.look());
  }

  /** What is known under a URI, or undefined. */
  get(uri) {
    return this.entries.get(uri)?.data;
  }

  /** Why a URI can't be read, or undefined. */
  error(uri) {
    return this.entries.get(uri)?.error;
  }

  /** Put something that came in another way. */
  put(uri, data) {
    this.entries.set(uri, { data, stale: false, at: performance.now() });
  }

  /** Hear that some URIs hold something new; all, if `uris` is null. */
  news(uris) {
    const covers = uris === null || uris.includes(COVERAGE);
    for (const [uri, entry] of this.entries) {
      // Sources change as coverage does; a sequence of the corpus never does.
      const source = covers && uri.startsWith(`${ROOT}/sources/`);
      if (uris === null || uris.includes(uri) || source) entry.stale = true;
    }
    this.look();
  }

  /** Read what is shown and missing at once, and what is stale when its time has come. */
  look() {
    clearTimeout(this.timer);
    if (document.hidden) return;
    let next = Infinity;
    for (const uri of this.wanted()) {
      const entry = this.entries.get(uri);
      if (!entry) {
        this.#read(uri);
      } else if (entry.stale && !entry.reading) {
        const every = uri === HISTORY ? EVERY_HISTORY : EVERY;
        const left = entry.at + every - performance.now();
        if (left <= 0) this.#read(uri);
        else next = Math.min(next, left);
      }
    }
    if (next < Infinity) this.timer = setTimeout(() => this.look(), next);
  }

  async #read(uri) {
    const entry = this.entries.get(uri) ?? {};
    this.entries.set(uri, entry);
    Object.assign(entry, { reading: true, stale: false, at: performance.now() });
    try {
      const text = await this.source.read(uri);
      entry.error = undefined;
      if (text !== entry.text) {
        entry.text = text;
        entry.data = parsed(text);
      }
    } catch (error) {
      entry.error = error;
      this.failed(uri, error);
    }
    entry.reading = false;
    this.changed(uri);
    this.look();
  }
}

/** JSON, with integers that a number can't hold as their digits: seeds have 63 bits. */
function parsed(text) {
  return JSON.parse(text, (_, value, context) =>
    (Number.isInteger(value) && !Number.isSafeInteger(value)
      ? context?.source ?? String(value) : value));
}
