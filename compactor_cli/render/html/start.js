// The switch between light and dark, and the start of everything.
const DARK = window.matchMedia("(prefers-color-scheme: dark)");
const theme = { chosen: "" };

function showTheme() {
  const dark = theme.chosen ? theme.chosen === "dark" : DARK.matches;
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  at("theme").setAttribute("aria-pressed", String(dark));
}

at("theme").addEventListener("click", () => {
  theme.chosen = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  showTheme();
  redraw();
});
DARK.addEventListener("change", () => {
  showTheme();
  redraw();
});

function jump(index) {
  const place = MESSAGES.findIndex((message) => message.index === index);
  if (place >= 0) {
    setCurrent(place);
    openMessage(place);
  }
}

showTheme();
showFigures();
startTimeline(openMessage);
showShares(choose);
showSurvival();
showLost(jump);
startMessages();
