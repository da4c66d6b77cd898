// What keeps people from reading or using a page; an expression that returns sentences.
(() => {
  const found = [];
  const shown = (element) => element.checkVisibility({ visibilityProperty: true });

  // Contrast of text (WCAG 2.2, 1.4.3): 4.5 to 1, whatever its size.
  const channels = (colour) => {
    const [r, g, b, a = 1] = colour.match(/[\d.]+/g).map(Number);
    return { r, g, b, a };
  };
  const over = (top, below) => ({
    r: top.r * top.a + below.r * (1 - top.a),
    g: top.g * top.a + below.g * (1 - top.a),
    b: top.b * top.a + below.b * (1 - top.a),
    a: 1,
  });
  const luminance = ({ r, g, b }) => {
    const [x, y, z] = [r, g, b].map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const ground = (element) => {
    const layers = [];
    for (let each = element; each; each = each.parentElement) {
      layers.push(channels(getComputedStyle(each).backgroundColor));
      if (layers.at(-1).a === 1) break;
    }
    return layers.reduceRight((below, top) => over(top, below), { r: 255, g: 255, b: 255, a: 1 });
  };
  const contrast = (one, two) => {
    const [high, low] = [luminance(one), luminance(two)].sort((a, b) => b - a);
    return (high + 0.05) / (low + 0.05);
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const judged = new Set();
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.nodeValue.trim() || judged.has(element)) continue;
    judged.add(element);
    if (["SCRIPT", "STYLE", "NOSCRIPT"].includes(element.nodeName) || !shown(element)) continue;
    const style = getComputedStyle(element);
    const svg = element instanceof SVGElement;
    const text = channels(svg ? style.fill : style.color);
    const below = ground(element);
    const ratio = contrast(over(text, below), below);
    if (ratio < 4.5) {
      found.push(`contrast ${ratio.toFixed(2)} of "${element.textContent.slice(0, 30)}"`);
    }
  }

  // Everything that can be used has a name.
  for (const each of document.querySelectorAll("button, input, select, summary, [role=tab], [role=img], [role=region]")) {
    const name = each.getAttribute("aria-label")
      || document.getElementById(each.getAttribute("aria-labelledby"))?.textContent
      || [...(each.labels ?? [])].map((label) => label.textContent).join("")
      || each.textContent;
    if (!name.trim()) found.push(`no name: ${each.outerHTML.slice(0, 80)}`);
  }

  // What refers to something finds it, once.
  const ids = [...document.querySelectorAll("[id]")].map((each) => each.id);
  for (const id of new Set(ids)) {
    if (ids.filter((each) => each === id).length > 1) found.push(`two elements are ${id}`);
  }
  for (const name of ["aria-controls", "aria-labelledby", "aria-describedby", "for"]) {
    for (const each of document.querySelectorAll(`[${name}]`)) {
      const id = each.getAttribute(name);
      if (!ids.includes(id)) found.push(`${name} names ${id}, which is missing`);
    }
  }

  // Headings go down one level at a time, and nothing that scrolls is out of reach.
  let level = 0;
  for (const each of [...document.querySelectorAll("h1, h2, h3, h4")].filter(shown)) {
    const next = Number(each.nodeName[1]);
    if (next > level + 1) found.push(`${each.nodeName} "${each.textContent}" after level ${level}`);
    level = next;
  }
  for (const each of [...document.querySelectorAll("body *")].filter(shown)) {
    const scrolls = ["auto", "scroll"].includes(getComputedStyle(each).overflowX)
      && each.scrollWidth > each.clientWidth + 1;
    if (scrolls && each.tabIndex < 0 && !each.querySelector("button, input, select, a")) {
      found.push(`no key scrolls ${each.className}`);
    }
  }

  // Nothing is too small to be hit (WCAG 2.2, 2.5.8): 24 pixels high, or in a line of text.
  for (const each of [...document.querySelectorAll("button, select, input")].filter(shown)) {
    const { height } = each.getBoundingClientRect();
    if (height < 23.5 && each.type !== "checkbox") found.push(`${height} px high: ${each.textContent}`);
  }
  return found;
})()
