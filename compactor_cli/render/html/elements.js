// What every part of the page needs. Text from a transcript only ever becomes a text node.
const PAGE = JSON.parse(document.getElementById("data").textContent);
const MESSAGES = PAGE.messages;
const COMPARED = PAGE.command !== "inspect";
const SEVERAL = MESSAGES.some((message) => message.conversation > 0);
// As in text/clean.py, but for the joiners of letters and pictures and for variation selectors, which a browser draws.
const UNSEEN = new RegExp(
  "[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u115f\\u1160\\u180e\\u200b\\u200e\\u200f\\u2028-\\u202e" +
    "\\u2060-\\u206f\\u3164\\ud800-\\udfff\\ufeff\\uffa0\\ufff0-\\ufffb\\u{13430}-\\u{1343f}\\u{1bca0}-\\u{1bca3}" +
    "\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e00ff}\\u{e01f0}-\\u{e0fff}]",
  "gu",
);
const KINDS = {
  text: "text", thinking: "thinking", tool_call: "call", tool_result: "result", image: "image", other: "other",
};
const LOOKS = {
  kept: { word: "kept", glyph: "●" },
  shortened: { word: "shortened", glyph: "◐" },
  summarized: { word: "summarized", glyph: "≡" },
  dropped: { word: "dropped", glyph: "✕" },
  added: { word: "added", glyph: "+" },
  residual: { word: "residual", glyph: "★" },
  tier0: { word: "tier 0", glyph: "◆" },
  tier1: { word: "tier 1", glyph: "◇" },
  tier2: { word: "tier 2", glyph: "△" },
  tier3: { word: "tier 3", glyph: "▽" },
  none: { word: "no tier", glyph: "○" },
};

function at(id) {
  return document.getElementById(id);
}

function element(name, classes, ...children) {
  const made = document.createElement(name);
  if (classes) made.className = classes;
  made.append(...children);
  return made;
}

// Characters that turn text around or cannot be seen, as escapes.
function shown(text) {
  return String(text)
    .replace(/\r\n/g, "\n")
    .replace(UNSEEN, (character) =>
      Array.from({ length: character.length }, (_, at) => "\\u" + character.charCodeAt(at).toString(16).padStart(4, "0")).join(""),
    );
}

function figure(number) {
  return Number(number).toLocaleString("en-US");
}

function words(name) {
  return name.replace(/_/g, " ");
}

function button(text, act, classes) {
  const made = element("button", classes, text);
  made.type = "button";
  made.addEventListener("click", act);
  return made;
}

function fillSelect(select, choices, first) {
  if (first) select.append(new Option(first, ""));
  for (const [value, text] of choices) select.append(new Option(shown(text), value));
}

// What the class of a message is: its fate, or its place among residuals and tiers.
function placeOf(message) {
  if (message.residual) return "residual";
  return message.tier === null ? "none" : "tier" + message.tier;
}

function nameOf(message) {
  const number = message.index === null ? "new" : "#" + message.index;
  return SEVERAL ? `${message.conversation}:${number}` : number;
}

function tokensOf(message) {
  if (!COMPARED) return figure(message.before);
  return message.before === message.after
    ? figure(message.before)
    : `${figure(message.before)} → ${figure(message.after)}`;
}

// A text with every occurrence of what is searched for marked.
function marked(text, wanted) {
  const out = document.createDocumentFragment();
  const low = text.toLowerCase();
  let from = 0;
  // letters whose small form has another length would shift the places
  let hit = wanted && low.length === text.length ? low.indexOf(wanted) : -1;
  while (hit >= 0) {
    out.append(text.slice(from, hit), element("mark", "", text.slice(hit, hit + wanted.length)));
    from = hit + wanted.length;
    hit = low.indexOf(wanted, from);
  }
  out.append(text.slice(from));
  return out;
}
