// Which step is shown, and everything that changes it: buttons, keys, slider, timeline, the address (#step=12).

const page = content;
const timeline = makeTimeline(page), tables = makeTables(page);
const last = page.steps.length - 1;
const playMs = 700;
let shown = 0, player = null;

function show(index) {
  shown = Math.min(Math.max(index, 0), last);
  const step = page.steps[shown];
  timeline.show(shown);
  tables.show(shown);
  $("slider").value = shown;
  $("position").textContent = `${word("step", { step: step.step, last: page.steps[last].step })} · ${formatTime(step.time)}`;
  $("what").textContent = [`${step.agent}: ${step.kind}`, step.site].filter(Boolean).join(" · ");
  $("text").textContent = step.text;
  history.replaceState(null, "", `#step=${step.step}`);
}

function fromAddress() {
  const match = location.hash.match(/^#step=(\d+)$/);
  const index = match ? page.steps.findIndex((step) => step.step >= Number(match[1])) : 0;
  return index < 0 ? last : index;
}

function play() {
  if (player !== null) {
    clearInterval(player);
    player = null;
  } else {
    player = setInterval(() => (shown < last ? show(shown + 1) : play()), playMs);
  }
  $("play").setAttribute("aria-pressed", player !== null);
}

const actions = {
  first: () => show(0),
  previous: () => show(shown - 1),
  play,
  next: () => show(shown + 1),
  last: () => show(last),
  theme: () => {
    const root = document.documentElement;
    root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
  },
};
for (const [id, action] of Object.entries(actions)) {
  $(id).addEventListener("click", action);
  $(id).title = word(id);
  $(id).setAttribute("aria-label", word(id));
}

const keys = {
  ArrowRight: "next", ".": "next", PageDown: "next", ArrowLeft: "previous", ",": "previous", PageUp: "previous",
  Home: "first", End: "last", " ": "play",
};
document.addEventListener("keydown", (event) => {
  const onButton = event.target instanceof HTMLButtonElement && event.key === " ";
  if (event.ctrlKey || event.altKey || event.metaKey || onButton || !(event.key in keys)) return;
  event.preventDefault();
  actions[keys[event.key]]();
});

$("slider").max = last;
$("slider").setAttribute("aria-label", word("timeline"));
$("slider").addEventListener("input", () => show(Number($("slider").value)));
timeline.element.addEventListener("click", (event) => show(timeline.nearest(event)));
window.addEventListener("hashchange", () => show(fromAddress()));
window.addEventListener("resize", () => { timeline.draw(); show(shown); });

$("title").textContent = page.title;
$("source").textContent = [page.source, page.ended.kind, page.ended.detail].filter(Boolean).join(" · ");
$("keys").textContent = word("keys");
const opened = fromAddress();
timeline.draw();
show(opened);
