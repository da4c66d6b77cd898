// Everything together: where the data come from, and what starts it all.

const INSIDE = window.parent !== window;

const source = new (INSIDE ? HostSource : ServerSource)({
  status: showStatus,
  news: (uris) => feed.news(uris),
  token: askToken,
  host: adapt,
  input: (given) => { host.input = given; draw(); },
  result: takeResult,
});
const feed = new Feed(source, { wanted, changed, failed });
const tabs = new Tabs(chosen);

// ---------------------------------------------------------------------- what comes

const heard = { failed: 0, stopped: null };

function changed(uri) {
  if (uri === ROOT && campaign()) {
    const failing = failedTests(campaign());
    if (failing > heard.failed) announce(`${counted(failing, "test")} failed.`);
    if (campaign().stopped && !heard.stopped) announce("The campaign has stopped.");
    heard.failed = failing;
    heard.stopped = campaign().stopped;
  }
  draw();
}

function failed(uri, error) {
  if (error.status === 401) {
    askToken();
  } else if (INSIDE && uri === ROOT && !campaign()) {
    // This client lets the page read nothing: what the tool returned must do.
    host.only = true;
    tabs.offer(["coverage"]);
    showNotice("This client does not let the page read the campaign, so it shows only "
      + "what show_coverage returned.");
  }
}

function chosen(view) {
  if (!INSIDE) history.replaceState(null, "", `#${view}`);
  feed.look();
  draw();
}

// ------------------------------------------------------- the token, and the client

function askToken() {
  const form = byId("token");
  showStatus("Token needed", false);
  if (source.token) showNotice("The token that was given is wrong.");
  if (!form.hidden) return;
  form.hidden = false;
  document.documentElement.classList.add("locked");
  byId("token-field").focus();
}

byId("token").addEventListener("submit", (event) => {
  event.preventDefault();
  const field = byId("token-field");
  byId("token").hidden = true;
  document.documentElement.classList.remove("locked");
  showNotice("");
  source.useToken(field.value.trim());
  field.value = "";
});

/** Look like the client: its theme, its fonts, its display mode. */
function adapt(context) {
  const root = document.documentElement;
  if (context.theme) root.dataset.theme = context.theme;
  for (const name of ["--font-sans", "--font-mono"]) {
    const font = context.styles?.variables?.[name];
    if (font) root.style.setProperty(name, font);
  }
  for (const [side, pixels] of Object.entries(context.safeAreaInsets ?? {})) {
    root.style.setProperty(`--safe-${side}`, `${Number(pixels) || 0}px`);
  }
  root.classList.toggle("fullscreen", context.displayMode === "fullscreen");
  const button = byId("fullscreen");
  button.hidden = !source.modes.includes("fullscreen");
  button.textContent = context.displayMode === "fullscreen" ? "Leave full screen" : "Full screen";
}

function takeResult(result) {
  let found = result.structuredContent;
  if (!found && !result.isError) {
    // Clients may keep only the text, which holds the same.
    const text = result.content?.find((each) => each.type === "text")?.text;
    try { found = JSON.parse(text); } catch { found = null; }
  }
  if (Array.isArray(found?.contracts)) host.result = found;
  else if (result.isError) showNotice(result.content?.[0]?.text ?? "The call failed.");
  draw();
}

// ------------------------------------------------------------------------- the start

for (const type of ["click", "change"]) document.addEventListener(type, act);
document.addEventListener("input", (event) => {
  if (event.target.dataset?.do === "function-filter") act(event);
});

document.addEventListener("pointermove", (event) => {
  const plot = event.target.closest?.("[data-chart]");
  const id = plot?.dataset.chart;
  if (!plot && !ui.hover) return;
  ui.hover = plot && { id, seconds: secondsAt(plot, chartPoints(id, samples(), curves()), event.clientX) };
  draw();
});

byId("skip").addEventListener("click", (event) => {
  // Inside a client the address is not ours, so it can't lead to a place on the page.
  event.preventDefault();
  byId("panels").focus();
});

new ResizeObserver(draw).observe(byId("panels"));

document.documentElement.classList.toggle("inside", INSIDE);
const asked = location.hash.slice(1);
tabs.show(VIEWS.includes(asked) ? asked : INSIDE ? "coverage" : "overview");
draw();
source.start().catch((error) => showNotice(error.message));
