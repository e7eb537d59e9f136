// Figures, tables of shares, survival and losses.
function addFigure(name, value, note) {
  const description = element("dd", "", String(value));
  if (note) description.append(element("small", "", shown(note)));
  at("figures").append(element("div", "", element("dt", "", name), description));
}

function savedFigures(before, after) {
  addFigure("Tokens before", figure(before.tokens), `${figure(before.messages)} messages`);
  addFigure("Tokens after", figure(after.tokens), `${figure(after.messages)} messages`);
  const saved = before.tokens - after.tokens;
  const percent = before.tokens ? ((100 * saved) / before.tokens).toFixed(1) : "0.0";
  addFigure("Saved", `${percent}%`, `${figure(saved)} tokens`);
}

function fateFigures(counts) {
  for (const [name, count] of Object.entries(counts)) addFigure(LOOKS[name].word, figure(count), "messages");
}

const FIGURES = {
  inspect(report) {
    const { context, transcript, residuals } = report;
    addFigure("Tokens", figure(transcript.tokens), `${figure(transcript.messages)} messages`);
    addFigure("Context used", `${context.percent_used}%`, `of ${figure(context.limit)} tokens`);
    addFigure("Threshold", context.never ? "never" : figure(context.threshold), "tokens, when to compact");
    addFigure("compact --if-needed", context.if_needed === "compact" ? "would compact" : "would leave it unchanged");
    addFigure("Residuals", figure(residuals.count), `${figure(residuals.tokens)} tokens`);
    addFigure("Faults", figure(report.faults.length));
  },
  compact(report) {
    savedFigures(report.input, report.output);
    if (report.target_tokens !== null) {
      addFigure("Target", figure(report.target_tokens), report.fits ? "tokens; it fits" : "tokens; not met");
    }
    addFigure("Strategy", report.strategy || "none", report.round ? `round ${report.round}` : "");
    fateFigures(report.dispositions);
  },
  diff(report) {
    savedFigures(report.before, report.after);
    fateFigures(report.messages);
    addFigure("Faults", figure(report.faults.length), "in the output");
  },
};

const HEADINGS = {
  inspect: "compactor inspect: where the tokens are",
  compact: "compactor compact: what happened to each message",
  diff: "compactor diff: what happened to each message",
};

function showFigures() {
  const { report } = PAGE;
  at("kind").textContent = HEADINGS[PAGE.command];
  at("title").textContent = shown(PAGE.title);
  FIGURES[PAGE.command](report);
  const { format, counter } = report.transcript || report.input || report.before;
  addFigure("Format", format, `counted by ${counter}`);
  const faults = (report.faults || []).map((one) => `fault: message ${one.index}: ${words(one.kind)}: ${one.detail}`);
  const repairs = (report.repairs || []).map((one) => `repaired: message ${one.index}: ${words(one.kind)}: ${one.detail}`);
  const said = [...(report.warnings || []).map((warning) => `warning: ${warning}`), ...faults, ...repairs];
  for (const line of said.slice(0, 100)) at("warnings").append(element("li", "", shown(line)));
  if (said.length > 100) at("warnings").append(element("li", "", `and ${figure(said.length - 100)} more; see --json`));
  at("warnings").hidden = !said.length;
}

function head(names) {
  const row = element("tr", "");
  for (const name of names) {
    const cell = element("th", "", name);
    cell.scope = "col";
    row.append(cell);
  }
  return element("thead", "", row);
}

function rowHead(...children) {
  const cell = element("th", "", ...children);
  cell.scope = "row";
  return cell;
}

function meter(share, whole) {
  const bar = element("span", "");
  bar.style.width = `${Math.max(0, Math.min(100, (100 * share) / Math.max(1, whole)))}%`;
  const box = element("span", whole ? "meter rest" : "meter", bar);
  box.setAttribute("aria-hidden", "true");
  return box;
}

const MOST_ROWS = 8;

function showShares(choose) {
  const heads = { role: "By role", tool: "By tool, results included", file: "By file, as tools name it" };
  for (const [kind, lines] of Object.entries(PAGE.shares)) {
    const box = element("div", kind, element("h3", "", heads[kind]));
    if (!lines.length) {
      box.append(element("p", "help", "None."));
    } else {
      box.append(shareTable(kind, lines, choose));
    }
    at("shares").append(box);
  }
}

function shareTable(kind, lines, choose) {
  const body = element("tbody", "");
  const most = Math.max(...lines.map((line) => Math.max(line.before, line.after)));
  const add = (some) => {
    for (const line of some) {
      const name = button(shown(line.name), () => choose(kind, line.name), "link");
      name.setAttribute("aria-label", `${shown(line.name)}: show its messages`);
      const row = element("tr", "", rowHead(name, meter(line.before, most)));
      row.append(element("td", "", figure(line.count)), element("td", "", figure(line.before)));
      if (COMPARED) row.append(element("td", "", figure(line.after)));
      body.append(row);
    }
  };
  add(lines.slice(0, MOST_ROWS));
  const count = kind === "role" ? "messages" : "calls";
  const names = COMPARED ? [kind, count, "before", "after"] : [kind, count, "tokens"];
  const out = element("div", "", element("table", "", head(names), body));
  if (lines.length > MOST_ROWS) {
    const more = button(`Show all ${figure(lines.length)}`, () => {
      add(lines.slice(MOST_ROWS));
      more.remove();
    });
    out.append(more);
  }
  return out;
}

function showSurvival() {
  if (!PAGE.survival.length) return;
  at("survival-section").hidden = false;
  const body = element("tbody", "");
  for (const line of PAGE.survival) {
    const row = element("tr", "", rowHead(words(line.category), meter(line.kept, line.total)));
    row.append(element("td", "", figure(line.kept)), element("td", "", figure(line.total)));
    row.append(element("td", "", line.total ? `${line.percent.toFixed(1)}%` : "–"));
    body.append(row);
  }
  at("survival").append(element("table", "rates", head(["category", "kept", "of", "share"]), body));
}

const LOST_AT_ONCE = 20;
const WORDS = "identifiers";

function showLost(jump) {
  if (!PAGE.survival.length) return;
  at("lost-section").hidden = false;
  const counts = new Map();
  for (const { category } of PAGE.lost) counts.set(category, (counts.get(category) || 0) + 1);
  const select = at("lost-category");
  // single words are many, and say least: they come when they are asked for
  const most = PAGE.lost.filter((one) => one.category !== WORDS).length;
  const all = counts.has(WORDS) ? `all but ${WORDS}` : "all";
  fillSelect(select, [["", `${all} (${figure(most)})`]]);
  fillSelect(select, [...counts].map(([name, count]) => [name, `${words(name)} (${figure(count)})`]));
  const list = at("lost");
  let at_once = [];
  let done = 0;
  const more = () => {
    for (const one of at_once.slice(done, done + LOST_AT_ONCE)) list.append(lostLine(one, jump));
    done += LOST_AT_ONCE;
    at("lost-more").hidden = done >= at_once.length;
  };
  const restart = () => {
    at_once = PAGE.lost.filter((one) => (select.value ? one.category === select.value : one.category !== WORDS));
    done = 0;
    list.replaceChildren();
    if (!at_once.length) list.append(element("li", "", "Nothing."));
    more();
  };
  select.addEventListener("change", restart);
  at("lost-more").addEventListener("click", more);
  restart();
}

function lostLine(one, jump) {
  const where = element("span", "where", words(one.category));
  // of several conversations the number alone does not say which message it is
  if (one.index !== null && !SEVERAL) {
    where.append(" · ", button(`message ${one.index}`, () => jump(one.index), "link"));
  }
  return element("li", "", where, shown(one.text));
}
