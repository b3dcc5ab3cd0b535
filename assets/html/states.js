// The document, and the state after each step of a recording: steps say what they changed, so states add up.

const content = JSON.parse(document.getElementById("document").textContent);
const $ = (id) => document.getElementById(id);
let words = content.words;

function statesOf(recording) {
  const all = [];
  let now = { barrier: [], stage: [], agent: [] };
  for (const step of recording.steps) {
    const next = {};
    for (const kind of Object.keys(now)) {
      next[kind] = now[kind].slice();
      for (const [row, value] of Object.entries(step.changed[kind])) next[kind][row] = value;
    }
    all.push(next);
    now = next;
  }
  return all;
}

function word(key, values = {}) {
  return words[key].replace(/\{(\w+)\}/g, (whole, name) => (name in values ? values[name] : whole));
}

// In the unit that suits `among`, the largest of the times it stands beside; with digits that tell steps of `every`.
function formatTime(ps, among = ps, every = 0) {
  for (const [unit, size] of [["ms", 1e9], ["µs", 1e6], ["ns", 1e3]]) {
    const digits = every ? Math.max(0, Math.ceil(Math.log10(size / every))) : 3;
    if (among >= size) return `${Number((ps / size).toFixed(digits))} ${unit}`;
  }
  return `${ps} ps`;
}
