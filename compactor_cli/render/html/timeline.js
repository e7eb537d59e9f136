// The chart: a bar for each message, or for several where there are more messages than room.
const MODES = {
  fate: { word: "what happened", names: ["kept", "shortened", "summarized", "dropped", "added"], of: (m) => m.fate },
  place: {
    word: "residual and tier",
    names: ["residual", "tier0", "tier1", "tier2", "tier3", "none"],
    of: placeOf,
  },
};
// Hatches, so that colour is not all that tells bars apart.
const HATCHES = {
  shortened: "/", summarized: "-", dropped: "x", added: "\\", residual: "x", tier1: "/", tier2: "-", tier3: "\\", none: ".",
};

function colourOf(name) {
  return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}

function inkOf(context, name) {
  const hatch = HATCHES[name];
  const colour = colourOf(name);
  if (!hatch) return colour;
  const size = 6;
  const tile = document.createElement("canvas");
  tile.width = tile.height = size;
  const pen = tile.getContext("2d");
  pen.globalAlpha = 0.4;
  pen.fillStyle = colour;
  pen.fillRect(0, 0, size, size);
  pen.globalAlpha = 1;
  pen.strokeStyle = colour;
  pen.lineWidth = 1.6;
  pen.beginPath();
  if (hatch === "/" || hatch === "x") [[-1, 1, 1, -1], [0, size, size, 0], [size - 1, size + 1, size + 1, size - 1]].forEach(draw);
  if (hatch === "\\" || hatch === "x") [[-1, size - 1, 1, size + 1], [0, 0, size, size], [size - 1, -1, size + 1, 1]].forEach(draw);
  if (hatch === "-") draw([0, size / 2, size, size / 2]);
  if (hatch === ".") pen.rect(2, 2, 1, 1);
  pen.stroke();
  return context.createPattern(tile, "repeat");

  function draw([x1, y1, x2, y2]) {
    pen.moveTo(x1, y1);
    pen.lineTo(x2, y2);
  }
}

function prepared(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext("2d");
  context.scale(ratio, ratio);
  return context;
}

// Messages of one bar after the other: one each, or as many as a bar of two pixels stands for.
function bars(width) {
  const per = Math.max(1, Math.ceil(MESSAGES.length / (width / 2)));
  const out = [];
  for (let from = 0; from < MESSAGES.length; from += per) out.push(MESSAGES.slice(from, from + per));
  return { per, bars: out };
}

const timeline = { mode: COMPARED ? "fate" : "place", current: 0, open: () => {} };

function drawTimeline() {
  const canvas = at("chart");
  const width = canvas.clientWidth, height = canvas.clientHeight;
  if (!width || !MESSAGES.length) return;
  const context = prepared(canvas, width, height);
  const mode = MODES[timeline.mode];
  const ink = Object.fromEntries(mode.names.map((name) => [name, inkOf(context, name)]));
  const { per, bars: columns } = bars(width);
  const step = width / columns.length;
  const size = (message) => Math.max(message.before, message.after);
  const tall = Math.max(1, ...columns.map((some) => some.reduce((sum, one) => sum + size(one), 0)));
  const strip = 12, room = height - strip - 14;
  const scaled = (tokens) => room * Math.sqrt(tokens / tall);
  columns.forEach((some, place) => {
    const x = place * step, wide = Math.max(1, step - (step > 4 ? 1 : 0));
    const whole = scaled(some.reduce((sum, one) => sum + size(one), 0));
    const total = Math.max(1, some.reduce((sum, one) => sum + size(one), 0));
    let y = room + 8;
    const weights = new Map(mode.names.map((name) => [name, 0]));
    for (const one of some) weights.set(mode.of(one), (weights.get(mode.of(one)) || 0) + size(one));
    for (const [name, tokens] of weights) {
      const part = (whole * tokens) / total;
      context.fillStyle = ink[name] || colourOf("none");
      context.fillRect(x, y - part, wide, Math.max(tokens ? 1 : 0, part));
      y -= part;
    }
    if (COMPARED) { // the strip below: how much of the bar is left in the output
      const left = some.reduce((sum, one) => sum + one.after, 0) / total;
      context.fillStyle = colourOf("line");
      context.fillRect(x, height - strip, wide, strip);
      context.fillStyle = colourOf("text");
      context.fillRect(x, height - strip * left, wide, strip * left);
    }
  });
  context.strokeStyle = colourOf("focus");
  context.lineWidth = 2;
  const x = Math.floor(timeline.current / per) * step;
  context.strokeRect(Math.max(1, x - 1), 1, Math.max(3, step + 1), height - 2);
}

function drawLegend() {
  const mode = MODES[timeline.mode];
  const counts = new Map();
  for (const message of MESSAGES) {
    const entry = counts.get(mode.of(message)) || [0, 0];
    counts.set(mode.of(message), [entry[0] + 1, entry[1] + Math.max(message.before, message.after)]);
  }
  at("legend").replaceChildren();
  for (const name of mode.names) {
    const [count, tokens] = counts.get(name) || [0, 0];
    if (!count) continue;
    const sample = element("canvas", "");
    sample.setAttribute("aria-hidden", "true");
    const context = prepared(sample, 22, 14);
    context.fillStyle = inkOf(context, name);
    context.fillRect(0, 0, 22, 14);
    const line = `${LOOKS[name].glyph} ${LOOKS[name].word}: ${figure(count)} (${figure(tokens)} tokens)`;
    at("legend").append(element("li", "", sample, line));
  }
}

function setCurrent(place) {
  timeline.current = Math.max(0, Math.min(MESSAGES.length - 1, place));
  const message = MESSAGES[timeline.current];
  if (!message) return;
  const name = COMPARED ? message.fate : placeOf(message);
  const text = `${nameOf(message)} · ${message.role} · ${LOOKS[name].word} · ${tokensOf(message)} tokens · ${shown(message.reason)}`;
  const slider = at("slider");
  slider.setAttribute("aria-valuenow", String(timeline.current));
  slider.setAttribute("aria-valuetext", text);
  at("readout").textContent = text;
  drawTimeline();
}

function pointed(event) {
  const box = at("chart").getBoundingClientRect();
  const { per, bars: columns } = bars(box.width);
  const column = Math.floor(((event.clientX - box.left) / box.width) * columns.length);
  const some = columns[Math.max(0, Math.min(columns.length - 1, column))] || [];
  // of several messages under the pointer the largest one
  const largest = some.reduce((best, one, i) => (one.before + one.after > some[best].before + some[best].after ? i : best), 0);
  return column * per + largest;
}

function startTimeline(open) {
  timeline.open = open;
  const slider = at("slider");
  slider.setAttribute("aria-valuemax", String(Math.max(0, MESSAGES.length - 1)));
  const modes = COMPARED ? ["fate", "place"] : ["place"];
  const used = modes.filter((name) => name === "fate" || MESSAGES.some((m) => m.residual || m.tier !== null));
  const offered = used.length ? used : [timeline.mode];
  fillSelect(at("colour"), offered.map((name) => [name, MODES[name].word]));
  at("colour").parentElement.hidden = offered.length < 2;
  at("colour").addEventListener("change", () => {
    timeline.mode = at("colour").value;
    redraw();
  });
  const page = Math.max(1, Math.round(MESSAGES.length / 20));
  const steps = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: page, PageDown: -page, Home: -Infinity, End: Infinity };
  slider.addEventListener("keydown", (event) => {
    if (event.key in steps) setCurrent(timeline.current + steps[event.key]);
    else if (event.key === "Enter") timeline.open(timeline.current);
    else return;
    event.preventDefault();
  });
  slider.addEventListener("pointermove", (event) => setCurrent(pointed(event)));
  slider.addEventListener("click", (event) => {
    setCurrent(pointed(event));
    timeline.open(timeline.current);
  });
  window.addEventListener("resize", drawTimeline);
  const height = "A bar's height is the square root of its tokens";
  at("chart-help").textContent = COMPARED
    ? `${height}; the strip below shows how many of them are left in the output.`
    : `${height}.`;
  setCurrent(0);
  drawLegend();
}

function redraw() {
  drawLegend();
  drawTimeline();
}
