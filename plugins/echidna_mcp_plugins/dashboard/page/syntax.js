// Colours of source code. Only the kinds of words are told apart, so that a mistake here
// costs a colour and nothing else.

const SOLIDITY = {
  // A comment, a string, a number, a word; what is between them has no colour.
  token: /(?<comment>\/\/.*|\/\*[\s\S]*?(?:\*\/|$))|(?<string>(?:hex|unicode)?"(?:\\.|[^"\\])*"?|(?:hex|unicode)?'(?:\\.|[^'\\])*'?)|(?<number>\b(?:0x[0-9a-fA-F_]+|\d[\d_]*(?:\.\d+)?(?:e-?\d+)?)\b)|(?<word>[A-Za-z_$][\w$]*)/g,
  open: "/*",
  close: "*/",
  keywords: new Set(`abstract anonymous as assembly assert break calldata case catch constant constructor
    continue contract default delete do else emit enum error event external fallback final for from function if
    immutable import indexed interface internal is let library mapping memory modifier new override payable pragma
    private public pure receive require return returns revert solidity storage struct super switch this throw
    transient try type unchecked using var view virtual while true false
    wei gwei ether seconds minutes hours days weeks msg block tx abi`.split(/\s+/)),
  types: /^(?:u?int\d*|bytes\d*|bool|address|string|u?fixed\w*)$/,
};

const VYPER = {
  token: /(?<comment>#.*)|(?<string>"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)|[bx]?"(?:\\.|[^"\\])*"?|[bx]?'(?:\\.|[^'\\])*'?)|(?<number>\b(?:0x[0-9a-fA-F_]+|\d[\d_]*(?:\.\d+)?)\b)|(?<word>@?[A-Za-z_]\w*)/g,
  open: '"""',
  close: '"""',
  keywords: new Set(`and as assert break class continue def elif else enum event extcall flag for from if
    implements import in indexed initializes interface immutable constant internal log not or pass public raise
    return self staticcall struct transient uses exports while True False msg block tx chain empty range
    @external @internal @view @pure @payable @nonreentrant @deploy`.split(/\s+/)),
  types: /^(?:u?int\d+|bytes\d+|Bytes|String|bool|address|decimal|HashMap|DynArray)$/,
};

/** The language of a file, by its name; null for others, which have no colours. */
function languageOf(path) {
  if (/\.sol$/i.test(path)) return SOLIDITY;
  return /\.vyi?$/i.test(path) ? VYPER : null;
}

/**
 * Return lines, each as a list of [kind, text]; the texts of a line are the line.
 *
 * Lines may begin in the middle of a file: if a comment ends that has not begun, all
 * before its end is one.
 */
function highlighted(lines, language) {
  if (!language) return lines.map((line) => [["", line]]);
  const text = lines.join("\n");
  const found = [[]];
  const add = (kind, part) => part.split("\n").forEach((line, n) => {
    if (n) found.push([]);
    if (line) found.at(-1).push([kind, line]);
  });
  const begin = endOfComment(text, language);
  add("comment", text.slice(0, begin));
  let at = begin;
  for (const match of text.slice(begin).matchAll(language.token)) {
    const start = begin + match.index;
    add("", text.slice(at, start));
    add(kindOf(match, language), match[0]);
    at = start + match[0].length;
  }
  add("", text.slice(at));
  return found;
}

function kindOf({ 0: text, groups }, language) {
  if (groups.word === undefined) return Object.keys(groups).find((kind) => groups[kind] !== undefined);
  if (language.keywords.has(text)) return "keyword";
  return language.types.test(text) ? "type" : "";
}

/** Where a comment ends that has begun before a text; 0 if none has. */
function endOfComment(text, { open, close }) {
  if (open === close) return 0;
  const end = text.indexOf(close);
  const begin = text.indexOf(open);
  return end >= 0 && (begin < 0 || end < begin) ? end + close.length : 0;
}

/** Code as elements: one `span` for each text that has a colour. */
function coloured(parts) {
  return parts.map(([kind, text]) => (kind ? h("span", { class: `code-${kind}` }, text) : text));
}
