// The document, and the state after each of its steps: steps say what they changed, so states add up from the first.

const page = JSON.parse(document.getElementById("document").textContent);

const states = (() => {
  const all = [];
  let now = { barrier: [], stage: [], agent: [] };
  for (const step of page.steps) {
    const next = {};
    for (const kind of Object.keys(now)) {
      next[kind] = now[kind].slice();
      for (const [row, value] of Object.entries(step.changed[kind])) next[kind][row] = value;
    }
    all.push(next);
    now = next;
  }
  return all;
})();

function word(key, values = {}) {
  return page.words[key].replace(/\{(\w+)\}/g, (whole, name) => (name in values ? values[name] : whole));
}

function formatTime(ps) {
  for (const [unit, size] of [["ms", 1e9], ["µs", 1e6], ["ns", 1e3]]) {
    if (ps >= size) return `${Number((ps / size).toFixed(3))} ${unit}`;
  }
  return `${ps} ps`;
}
