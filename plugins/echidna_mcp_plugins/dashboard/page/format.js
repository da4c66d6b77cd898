// Numbers, times and names as people read them.

const WHOLE = new Intl.NumberFormat("en");
const SHORT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const HUGE = new Intl.NumberFormat("en", { notation: "scientific", maximumFractionDigits: 1 });

function whole(number) {
  return WHOLE.format(number);
}

/** 12.3K; exact below ten thousand, and with an exponent where no name is left. */
function short(number) {
  if (Math.abs(number) < 10_000) return whole(Math.round(number));
  return (Math.abs(number) < 1e15 ? SHORT : HUGE).format(number);
}

/** All digits of an integer of any size, which comes as text. */
function digits(text) {
  return WHOLE.format(BigInt(text));
}

function percent(number) {
  return `${number.toFixed(1).replace(/\.0$/, "")}%`;
}

function counted(number, one, many = `${one}s`) {
  return `${whole(number)} ${number === 1 ? one : many}`;
}

/** 45 s, 3 min 20 s, 2 h 5 min, 4 d 1 h: the two largest units. */
function duration(seconds) {
  if (seconds < 60 && !Number.isInteger(seconds)) {
    return `${seconds.toFixed(1).replace(".0", "")} s`;
  }
  const units = [["d", 86_400], ["h", 3600], ["min", 60], ["s", 1]];
  let left = Math.round(seconds);
  const parts = [];
  for (const [name, size] of units) {
    const times = Math.floor(left / size);
    left -= times * size;
    if (times || (name === "s" && !parts.length)) parts.push(`${whole(times)} ${name}`);
  }
  return parts.slice(0, 2).join(" ");
}

/** Wei, or ether if that is shorter and the same. */
function wei(text) {
  const amount = BigInt(text);
  const milli = 10n ** 15n;
  if (!amount || amount % milli) return `${WHOLE.format(amount)} wei`;
  const rest = String(amount / milli % 1000n).padStart(3, "0").replace(/0+$/, "");
  return `${WHOLE.format(amount / (1000n * milli))}${rest && `.${rest}`} ether`;
}

/** 0x…, without the zeros at its front: senders are small numbers. */
function address(text) {
  const digits = text.replace(/^0x0*/, "");
  if (digits.length <= 12) return `0x${digits || "0"}`;
  return `${text.slice(0, 8)}…${text.slice(-6)}`;
}

/** `TestLimitReached` as `Test limit reached`. */
function spaced(word) {
  const words = word.replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The time of day, UTC, of an event. */
function clock(stamp) {
  return stamp.slice(11, 23);
}

/** `path:Name` as its two parts. */
function qualified(name) {
  const colon = name.lastIndexOf(":");
  return { path: name.slice(0, Math.max(colon, 0)), name: name.slice(colon + 1) };
}
