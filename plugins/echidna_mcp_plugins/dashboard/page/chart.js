// Charts over time, as SVG drawn to the size of their place.

const CHART = { height: 190, left: 56, right: 12, top: 10, bottom: 24 };
const MOST_POINTS = 120;

/**
 * Return a chart with its heading and its numbers as a table.
 *
 * Points are `[seconds, value]` with growing seconds: a value holds from there on, or up
 * to there if `ends`. Marks are `[seconds]`; `at` is where a pointer is, or null.
 */
function chart({ id, title, unit, points, ends = false, marks = [], at, width }) {
  const last = points.at(-1);
  const near = at === null ? null : nearest(points, at);
  const shown = near ?? last;
  return h("figure", { class: "chart", "data-key": id },
    h("figcaption", {},
      h("h2", {}, title),
      h("span", { class: "readout" },
        shown ? `${short(shown[1])} ${unit}` : "",
        shown && near ? h("span", { class: "faint" }, ` at ${duration(shown[0])}`) : "")),
    points.length < 2
      ? h("p", { class: "empty" }, "Not enough rounds yet.")
      : [drawing({ id, title, unit, points, ends, marks, near, width }), table(points, unit)]);
}

function drawing({ id, title, unit, points, ends, marks, near, width }) {
  const { height, left, right, top, bottom } = CHART;
  const start = points[0][0];
  const span = Math.max(points.at(-1)[0] - start, 1e-9);
  const low = Math.min(...points.map(([, b]) => b));
  const high = Math.max(...points.map(([, b]) => b));
  const ticks = scale(low, high);
  const [least, most] = [ticks[0], ticks.at(-1)];
  const x = (seconds) => round(left + ((seconds - start) / span) * (width - left - right));
  const y = (value) => round(height - bottom - ((value - least) / (most - least)) * (height - top - bottom));
  const path = points.map(([a, b], n) => {
    if (!n) return `M${x(a)} ${y(b)}`;
    return ends ? `V${y(b)}H${x(a)}` : `H${x(a)}V${y(b)}`;
  }).join("");
  const ground = height - bottom;
  const area = `${path}L${x(points.at(-1)[0])} ${ground}L${x(start)} ${ground}Z`;
  const summary = `${title}: ${short(points.at(-1)[1])} ${unit} now, `
    + `between ${short(low)} and ${short(high)} over ${duration(span)}`;
  return h("svg", {
    class: "plot", role: "img", "aria-label": summary, "data-chart": id,
    viewBox: `0 0 ${width} ${height}`, width, height,
  },
  ticks.map((tick) => h("g", { class: "grid" },
    h("line", { x1: left, x2: width - right, y1: y(tick), y2: y(tick) }),
    h("text", { x: left - 6, y: y(tick), "text-anchor": "end", "dominant-baseline": "middle" },
      short(tick)))),
  h("g", { class: "grid" },
    h("text", { x: left, y: height - 6 }, duration(start)),
    h("text", { x: width - right, y: height - 6, "text-anchor": "end" },
      duration(points.at(-1)[0]))),
  h("path", { class: "area", d: area }),
  h("path", { class: "line", d: path }),
  marks.map(([seconds]) => h("line",
    { class: "mark", x1: x(seconds), x2: x(seconds), y1: top, y2: ground })),
  near && h("line", { class: "cross", x1: x(near[0]), x2: x(near[0]), y1: top, y2: ground }),
  near && h("circle", { class: "dot", cx: x(near[0]), cy: y(near[1]), r: 4 }));
}

function table(points, unit) {
  const step = Math.max(1, Math.ceil(points.length / 12));
  const rows = points.filter((_, n) => (points.length - 1 - n) % step === 0);
  return h("details", {},
    h("summary", {}, "As a table"),
    h("table", { class: "numbers" },
      h("thead", {}, h("tr", {},
        h("th", { scope: "col" }, "Time"), h("th", { scope: "col" }, unit))),
      h("tbody", {}, rows.map(([seconds, value]) => h("tr", {},
        h("th", { scope: "row" }, duration(seconds)), h("td", {}, short(value)))))));
}

/** Return 2 to 7 round numbers around 0 and all from `low` to `high`. */
function scale(low, high) {
  const [least, most] = [Math.min(0, low), Math.max(0, high)];
  if (least === most) return [0, 1];
  const rough = (most - least) / 4;
  const size = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, [1, 2, 2.5, 5, 10].find((n) => n * size >= rough) * size);
  const ticks = [Math.floor(least / step) * step];
  while (ticks.at(-1) < most) ticks.push(ticks.at(-1) + step);
  return ticks;
}

function nearest(points, at) {
  return points.reduce((best, point) =>
    (Math.abs(point[0] - at) < Math.abs(best[0] - at) ? point : best), points[0] ?? null);
}

function round(number) {
  return Math.round(number * 10) / 10;
}

/** Seconds into a chart under a pointer. */
function secondsAt(svg, points, clientX) {
  const box = svg.getBoundingClientRect();
  const drawn = svg.viewBox.baseVal.width;
  const x = ((clientX - box.left) / box.width) * drawn - CHART.left;
  const part = Math.min(1, Math.max(0, x / (drawn - CHART.left - CHART.right)));
  return points[0][0] + part * (points.at(-1)[0] - points[0][0]);
}

/**
 * Turn samples into series over the time that the campaign ran.
 *
 * While it was stopped and later resumed, time stands still here.
 */
function series(samples) {
  const stamps = samples.map((sample) => Date.parse(sample.at) / 1000);
  const gaps = stamps.slice(1).map((stamp, n) => stamp - stamps[n]);
  const usual = [...gaps].sort((a, b) => a - b)[Math.floor(gaps.length / 2)] ?? 0;
  const pause = Math.max(60, 20 * usual);
  const seconds = [0];
  const marks = [];
  gaps.forEach((gap, n) => seconds.push(seconds[n] + (gap > pause ? usual : gap)));
  samples.forEach((sample, n) => {
    if (n && sample.falsified > samples[n - 1].falsified) marks.push([seconds[n]]);
  });
  const group = Math.max(1, Math.ceil((samples.length - 1) / MOST_POINTS));
  const rates = [];
  let from = 0;
  for (let to = 1; to < samples.length; to += 1) {
    const last = to === samples.length - 1;
    if (to - from < group && !last) continue;
    const time = seconds[to] - seconds[from];
    // The last samples may be close together: a rate over so little says nothing.
    if (time > 0 && (!last || to - from >= group)) {
      const rate = (samples[to].calls - samples[from].calls) / time;
      if (!rates.length) rates.push([seconds[from], rate]);
      rates.push([seconds[to], rate]);
    }
    from = to;
  }
  return {
    rates,
    points: samples.map((sample, n) => [seconds[n], sample.points]),
    corpus: samples.map((sample, n) => [seconds[n], sample.transactions]),
    seconds,
    marks,
  };
}

/**
 * Return how a value rose as a chart: from round to round, over the time of the samples.
 *
 * Numbers that are too large for a chart to be exact are exact beside it.
 */
function curveOf({ test, value, rises }, samples) {
  const { seconds } = series(samples);
  const when = (round) => seconds[samples.findIndex((sample) => sample.round >= round)] ?? seconds.at(-1);
  const points = rises.map((rise) => [when(rise.round), Number(rise.value)]);
  if (points.length) points.push([Math.max(seconds.at(-1), points.at(-1)[0]), Number(value)]);
  return { id: `value:${test}`, title: test, unit: "greatest value", points };
}

/** Calls per second over the last ten seconds that were sampled. */
function currentRate(samples) {
  if (samples.length < 2) return null;
  const { seconds } = series(samples);
  const last = seconds.length - 1;
  let from = last - 1;
  while (from > 0 && seconds[last] - seconds[from] < 10) from -= 1;
  const time = seconds[last] - seconds[from];
  return time > 0 ? (samples[last].calls - samples[from].calls) / time : null;
}
