// Elements from data. Text becomes text nodes: nothing that a contract says is ever read
// as markup, and no attribute that could run or load something is ever set.

const SVG = "http://www.w3.org/2000/svg";
const SVG_TAGS = new Set(["svg", "g", "path", "line", "rect", "circle", "text"]);
const ATTRIBUTES = /^(class|id|role|tabindex|type|for|name|value|max|min|step|title|hidden|disabled|checked|selected|scope|open|colspan|inputmode|autocomplete|data-[a-z-]+|aria-[a-z]+|viewBox|width|height|x|y|x1|x2|y1|y2|cx|cy|r|d|text-anchor|dominant-baseline)$/;

// Characters that reorder or hide what stands around them.
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

function visible(text) {
  return String(text).replace(UNSEEN, (one) =>
    `⟨U+${one.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
}

/** Return a new element; children are elements, text, or lists of them. */
function h(tag, attributes = {}, ...children) {
  const svg = SVG_TAGS.has(tag);
  const element = svg ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (!ATTRIBUTES.test(name)) throw new Error(`no attribute ${name}`);
    element.setAttribute(name, value === true ? "" : visible(value));
  }
  element.append(...flat(children));
  return element;
}

function flat(children) {
  return children.flat(Infinity)
    .filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (child instanceof Node ? child : document.createTextNode(visible(child))));
}

/** Text for those who hear the page. */
function unseen(text) {
  return h("span", { class: "unseen" }, text);
}

/**
 * Make the children of an element equal to new ones, and keep what is equal already:
 * so focus, selection and scroll positions stay. Nodes with `data-key` keep their
 * identity when they move.
 */
function patch(parent, ...children) {
  const wanted = flat(children);
  const keyed = new Map();
  for (const node of parent.childNodes) {
    if (node.dataset?.key !== undefined) keyed.set(node.dataset.key, node);
  }
  let place = parent.firstChild;
  for (const node of wanted) {
    const key = node.dataset?.key;
    const old = key === undefined ? place : keyed.get(key);
    if (old && alike(old, node)) {
      if (old === place) place = place.nextSibling;
      else parent.insertBefore(old, place);
      renew(old, node);
    } else {
      parent.insertBefore(node, place);
    }
  }
  while (place) {
    const next = place.nextSibling;
    place.remove();
    place = next;
  }
}

function alike(old, node) {
  return old.nodeName === node.nodeName && old.dataset?.key === node.dataset?.key;
}

function renew(old, node) {
  if (node.nodeType === Node.TEXT_NODE) {
    if (old.nodeValue !== node.nodeValue) old.nodeValue = node.nodeValue;
    return;
  }
  for (const name of old.getAttributeNames()) {
    // Whether details are open is up to whoever looks at them.
    if (!node.hasAttribute(name) && name !== "open") old.removeAttribute(name);
  }
  for (const name of node.getAttributeNames()) {
    if (name === "open") continue;
    const value = node.getAttribute(name);
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  if (old.nodeName === "INPUT") {
    if (document.activeElement !== old) {
      old.value = node.value;
      old.checked = node.checked;
    }
    return;
  }
  patch(old, ...node.childNodes);
  if (old.nodeName === "SELECT" && old.value !== node.value) old.value = node.value;
}

function byId(id) {
  return document.getElementById(id);
}

/** Say something to those who hear the page. */
function announce(text) {
  byId("announcement").textContent = visible(text);
}
