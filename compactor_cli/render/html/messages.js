// The list of messages. Only a stretch of it is in the page at any time; more comes when its end is reached.
const STRETCH = 60;
const MOST_TEXT = 6000;
const list = { found: MESSAGES.map((_, place) => place), from: 0, to: 0, open: new Set(), wanted: "", texts: [] };

function textOf(place) {
  if (list.texts[place] === undefined) {
    const message = MESSAGES[place];
    const parts = [...message.parts, ...(message.output || [])];
    list.texts[place] = [message.reason, ...parts.map((part) => `${part.name || ""}\n${part.text}`)].join("\n").toLowerCase();
  }
  return list.texts[place];
}

function find() {
  const [fate, role, tool, file] = ["fate", "role", "tool", "file"].map((id) => at(id).value);
  list.wanted = at("search").value.toLowerCase();
  list.found = [];
  MESSAGES.forEach((message, place) => {
    const fits =
      (!fate || fate === (COMPARED ? message.fate : placeOf(message))) &&
      (!role || role === message.role) &&
      (!tool || message.tools.includes(tool)) &&
      (!file || message.files.includes(file)) &&
      (!list.wanted || textOf(place).includes(list.wanted));
    if (fits) list.found.push(place);
  });
  showFrom(0);
}

function showFrom(from) {
  list.from = list.to = Math.max(0, Math.min(from, list.found.length));
  at("list").replaceChildren();
  showLater();
}

function showLater() {
  const to = Math.min(list.found.length, list.to + STRETCH);
  for (const place of list.found.slice(list.to, to)) at("list").append(item(place));
  list.to = to;
  reveal(at("list"));
  showState();
}

function showEarlier() {
  const from = Math.max(0, list.from - STRETCH);
  at("list").prepend(...list.found.slice(from, list.from).map(item));
  list.from = from;
  showState();
}

function showState() {
  const all = MESSAGES.length, some = list.found.length;
  const which = some ? `; ${figure(list.from + 1)} to ${figure(list.to)} are listed` : "";
  at("found").textContent = `${figure(some)} of ${figure(all)} messages${which}`;
  at("earlier").hidden = list.from === 0;
  at("later").hidden = list.to >= some;
}

function item(place) {
  const message = MESSAGES[place];
  const name = COMPARED ? message.fate : placeOf(message);
  const row = button("", () => toggle(made, place), "row");
  row.setAttribute("aria-expanded", "false");
  const start = message.parts.map((part) => part.text.slice(0, 400)).find((text) => text.trim()) || "";
  const tools = message.tools.length ? ` · ${message.tools.join(", ")}` : "";
  const snippet = shown(start).replace(/\s+/g, " ").trim().slice(0, 200);
  row.append(
    element("span", "number", nameOf(message)),
    element("span", `badge ${name}`, `${LOOKS[name].glyph} ${LOOKS[name].word}`),
    element("span", "who", shown(message.role + tools)),
    element("span", "snippet", marked(snippet, list.wanted)),
    element("span", "tokens", tokensOf(message)),
  );
  const made = element("li", name, row);
  made.dataset.place = String(place);
  if (list.open.has(place)) unfold(made, place);
  return made;
}

function toggle(made, place) {
  if (list.open.has(place)) fold(made, place);
  else unfold(made, place);
}

function unfold(made, place) {
  list.open.add(place);
  const row = made.querySelector(".row");
  if (row.getAttribute("aria-expanded") === "true") return;
  row.setAttribute("aria-expanded", "true");
  made.append(detail(MESSAGES[place]));
  reveal(made);
}

// Scroll long texts to the first hit of the search.
function reveal(within) {
  for (const box of within.querySelectorAll("pre:has(mark)")) {
    const first = box.querySelector("mark").getBoundingClientRect().top - box.getBoundingClientRect().top;
    if (first > box.clientHeight) box.scrollTop = first - box.clientHeight / 3;
  }
}

function fold(made, place) {
  list.open.delete(place);
  made.querySelector(".row").setAttribute("aria-expanded", "false");
  made.querySelector(".detail")?.remove();
}

function detail(message) {
  const out = element("div", "detail");
  if (message.reason) out.append(element("p", "reason", "Why: ", marked(shown(message.reason), list.wanted)));
  const facts = [];
  if (message.score !== undefined) {
    const factors = message.factors.map((one) => `${words(one.name)} ${one.points < 0 ? "" : "+"}${one.points}`);
    facts.push(`score ${message.score}${factors.length ? ` (${factors.join(", ")})` : ""}`);
  }
  if (message.residual) facts.push("residual");
  else if (message.tier !== null) facts.push(`tier ${message.tier}`);
  if (facts.length) out.append(element("p", "", facts.join(" · ")));
  if (message.files.length) out.append(element("p", "", `Files: ${shown(message.files.join(", "))}`));
  const same = message.fate === "kept";
  const sides = element("div", COMPARED && !same ? "sides" : "sides single");
  if (!COMPARED || same) {
    sides.append(side(same ? "Before and after, word for word" : "Text", message.parts, ""));
  } else {
    sides.append(side("Before", message.index === null ? null : message.parts, "Not in the input."));
    sides.append(side("After", message.index === null ? message.parts : message.output || null, gone(message)));
  }
  out.append(sides);
  return out;
}

function gone(message) {
  return message.fate === "summarized" ? "Replaced by a summary." : "Not in the output.";
}

function side(title, parts, missing) {
  const out = element("div", "side", element("h3", "", title));
  if (parts === null) out.append(element("p", "gone", missing));
  for (const part of parts || []) {
    const facts = [KINDS[part.kind], part.name, part.failed ? "failed" : "", part.images ? `${part.images} images` : ""];
    out.append(element("p", "part", shown([...facts.filter(Boolean), `${figure(part.tokens)} tokens`].join(" · "))));
    if (part.text) out.append(longText(part.text));
  }
  return out;
}

function longText(text) {
  const box = element("pre", "");
  box.tabIndex = 0; // it may scroll
  // what was searched for must not be in the part that is left out
  const hidden = list.wanted && text.slice(MOST_TEXT - list.wanted.length).toLowerCase().includes(list.wanted);
  const short = text.length > MOST_TEXT && !hidden ? text.slice(0, MOST_TEXT) : text;
  box.append(marked(shown(short), list.wanted));
  if (short === text) return box;
  const all = button(`Show all ${figure(text.length)} characters`, () => {
    box.replaceChildren(marked(shown(text), list.wanted));
    all.remove();
    box.focus();
  });
  return element("div", "", box, all);
}

// Show a message of the timeline: unfolded, in the middle of its neighbours.
function openMessage(place) {
  if (!list.found.includes(place)) clearFilters();
  const spot = list.found.indexOf(place);
  list.open.add(place);
  showFrom(Math.max(0, spot - 3));
  const made = [...at("list").children].find((one) => one.dataset.place === String(place));
  made.scrollIntoView({ block: "start" });
  made.querySelector(".row").focus({ preventScroll: true });
}

function clearFilters() {
  at("filters").reset();
  find();
}

function choose(kind, name) {
  at("filters").reset();
  at(kind).value = name;
  find();
  at("messages").scrollIntoView();
  at("messages").focus({ preventScroll: true });
}

function moveFocus(event) {
  const row = event.target.closest(".row");
  const step = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[event.key];
  if (!row || !step) return;
  event.preventDefault();
  row.parentElement[step]?.querySelector(".row").focus();
}

function startMessages() {
  const names = COMPARED ? MODES.fate.names : MODES.place.names;
  fillSelect(at("fate"), names.map((name) => [name, LOOKS[name].word]), "any");
  at("fate-choice").querySelector("label").textContent = COMPARED ? "What happened" : "Residual and tier";
  for (const kind of ["role", "tool", "file"]) {
    fillSelect(at(kind), PAGE.shares[kind].map((line) => [line.name, line.name]), "any");
    at(kind).addEventListener("change", find);
  }
  at("fate").addEventListener("change", find);
  let waiting = 0;
  at("search").addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(find, 120);
  });
  at("filters").addEventListener("submit", (event) => {
    event.preventDefault();
    find();
  });
  at("clear").addEventListener("click", clearFilters);
  at("open-all").addEventListener("click", () => {
    for (const made of at("list").children) unfold(made, Number(made.dataset.place));
  });
  at("fold-all").addEventListener("click", () => {
    list.open.clear();
    for (const made of at("list").children) fold(made, Number(made.dataset.place));
  });
  at("list").addEventListener("keydown", moveFocus);
  at("earlier").addEventListener("click", showEarlier);
  at("later").addEventListener("click", showLater);
  new IntersectionObserver((seen) => {
    if (seen.some((one) => one.isIntersecting) && !at("later").hidden) showLater();
  }, { rootMargin: "400px" }).observe(at("later"));
  find();
}
