// Which beat of the story is shown. A step is one beat; a step with a question is two: asked, and answered.

const beats = content.chapters.flatMap((chapter, c) => chapter.steps.flatMap((step, s) => {
  const beat = { chapter: c, step: s, revealed: true };
  return step.question ? [{ ...beat, revealed: false }, beat] : [beat];
}));
const views = content.recordings.map(() => null);
const playMs = 500;
let language = content.language, at = 0, drawn = null, player = null;

// A recording's pictures, made when first needed.
function viewOf(recording) {
  views[recording] ??= {
    timeline: makeTimeline(content.recordings[recording]), tables: makeTables(content.recordings[recording]),
  };
  return views[recording];
}

function show(index) {
  clearInterval(player);
  at = Math.min(Math.max(index, 0), beats.length - 1);
  const beat = beats[at];
  const chapter = content.chapters[beat.chapter], step = chapter.steps[beat.step];
  words = content.words[language];
  showWords(beat, chapter, step);
  look(step, zoomOf(beat));
  showEvent(step, beat.revealed ? step.at : step.before);
  if (!beat.revealed) viewOf(step.recording).timeline.veil(step.before);
  if (beat.revealed && step.until !== null) play(step);
  history.replaceState(null, "", `#${chapter.id}/${beat.step + 1}`);
}

function showWords(beat, chapter, step) {
  document.documentElement.lang = language;
  document.title = $("title").textContent = content.title[language];
  const [chapters, steps] = [content.chapters.length, chapter.steps.length];
  $("position").textContent = word("place", { chapter: beat.chapter + 1, chapters, step: beat.step + 1, steps });
  $("question").textContent = step.question ? `? ${step.question[language]}` : "";
  $("answer").hidden = beat.revealed;
  const answer = step.answer ? `${step.answer[language]} ` : "";
  $("caption").textContent = beat.revealed ? answer + step.text[language] : "";
  for (const id of ["first", "previous", "next", "last", "theme"]) {
    $(id).title = word(id);
    $(id).setAttribute("aria-label", word(id));
  }
  const others = Object.keys(content.languages);
  $("language").textContent = content.languages[others[(others.indexOf(language) + 1) % others.length]];
  $("language").title = word("language");
  $("answer").textContent = word("answer");
  $("chapters-label").textContent = word("chapters");
  [...$("chapters").options].forEach((option, c) => {
    option.textContent = `${c + 1}. ${content.chapters[c].title[language]}`;
  });
  $("chapters").value = beat.chapter;
  $("keys").textContent = word("keys");
}

// A step without a stretch of its own keeps that of the nearest step before it, wherever the reader came from.
function zoomOf(beat) {
  const chapter = content.chapters[beat.chapter];
  for (let s = beat.step; s >= 0; s--) {
    if (chapter.steps[s].zoom) return chapter.steps[s].zoom;
  }
  const { begin, end } = content.recordings[chapter.steps[beat.step].recording].timeline;
  return [begin, end];
}

function look(step, [begin, end]) {
  const wanted = JSON.stringify([step.recording, begin, end, step.highlight, $("timeline").clientWidth]);
  if (wanted !== drawn) viewOf(step.recording).timeline.look(begin, end, step.highlight);
  drawn = wanted;
}

function showEvent(step, index) {
  const { timeline, tables } = viewOf(step.recording);
  const event = content.recordings[step.recording].steps[index];
  timeline.show(index);
  tables.show(index);
  $("what").textContent = [`${event.agent}: ${event.kind}`, event.site, formatTime(event.time)].filter(Boolean).join(" · ");
  $("text").textContent = event.text[language];
}

// The events of a passage, one after the other; any step ends it.
function play(step) {
  let index = step.at;
  player = setInterval(() => (index < step.until ? showEvent(step, ++index) : clearInterval(player)), playMs);
}

function reveal() {
  if (!beats[at].revealed) show(at + 1);
}

function switchLanguage() {
  const all = Object.keys(content.languages);
  language = all[(all.indexOf(language) + 1) % all.length];
  show(at);
}

const actions = {
  first: () => show(0),
  previous: () => show(at - 1),
  next: () => show(at + 1),
  last: () => show(beats.length - 1),
  answer: reveal,
  language: switchLanguage,
  theme: () => {
    const root = document.documentElement;
    root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
  },
};
for (const [id, action] of Object.entries(actions)) $(id).addEventListener("click", action);

const keys = {
  ArrowRight: "next", PageDown: "next", " ": "next", ArrowLeft: "previous", PageUp: "previous", Home: "first", End: "last",
  l: "language", L: "language",
};
document.addEventListener("keydown", (event) => {
  const used = event.target instanceof HTMLSelectElement || (event.target instanceof HTMLButtonElement && event.key === " ");
  if (event.ctrlKey || event.altKey || event.metaKey || used || !(event.key in keys)) return;
  event.preventDefault();
  actions[keys[event.key]]();
});

function goTo(chapter, step) {
  const index = beats.findIndex((beat) => beat.chapter === chapter && beat.step === step);
  show(index < 0 ? 0 : index);
}

function fromAddress() {
  const match = location.hash.match(/^#(.+)\/(\d+)$/);
  const chapter = match ? content.chapters.findIndex((candidate) => candidate.id === match[1]) : 0;
  goTo(chapter, match ? Number(match[2]) - 1 : 0);
}

content.chapters.forEach((chapter, c) => $("chapters").append(new Option("", c)));
$("chapters").addEventListener("change", () => {
  goTo(Number($("chapters").value), 0);
  $("chapters").blur();
});
window.addEventListener("hashchange", fromAddress);
window.addEventListener("resize", () => { drawn = null; show(at); });
fromAddress();
