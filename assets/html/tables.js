// The state after a step as tables; what the step changed is marked.

function makeTables(recording) {
  const states = statesOf(recording);
  const dash = (value) => (value === undefined || value === null || value < 0 ? "–" : value);
  const { rings } = recording;
  const said = (state) => words.states[state];
  const at = ([index, phase, count]) => word("at", { index, phase, count });
  // A line each of several rings: "K stage 0, phase 1, tile 3".
  const cursors = (all) => all.flatMap((cursor, ring) => (cursor ? [
    [...(rings.length > 1 ? [rings[ring]] : []), at(cursor)].join(" "),
  ] : [])).join("\n");
  const kinds = {
    barrier: {
      id: "barriers",
      columns: ["name", "phase", "parity", "arrived", "landed"],
      cells: (name, value) =>
        value ? [name, value.number, value.parity, value.arrived, value.landed || "–"]
              : [name, word("uninitialised"), "–", "–", "–"],
      // What the barrier itself counts down is one hover away.
      hint: (value) => (value ? word("pending", value) : ""),
      role: (value) => (value && value.phase & 1 ? "phase-odd" : "phase-even"),
    },
    stage: {
      id: "stages",
      columns: ["name", "state", "tile"],
      cells: (name, value) => [name, said(value.state), dash(value.tile)],
      role: (value) => value.state,
    },
    agent: {
      id: "agents",
      columns: ["name", "state", "tile", "cursor"],
      cells: (name, value) => [
        name, value.barrier ? `${said(value.state)} ${value.barrier}` : said(value.state), dash(value.tile),
        cursors(value.cursors) || "–",
      ],
      role: (value) => ({ waiting: "waiting", reading: "reading", timed_out: "error" })[value.state] || "running",
    },
  };

  function show(index) {
    for (const [kind, table] of Object.entries(kinds)) {
      $(`${table.id}-heading`).textContent = word(table.id);
      const rows = recording[table.id].map((item, row) => {
        const name = item.title || item.name;
        const value = states[index][kind][row];
        const before = index ? table.cells(name, states[index - 1][kind][row]) : null;
        const tr = document.createElement("tr");
        if (table.hint) tr.title = table.hint(value);
        table.cells(name, value).forEach((text, column) => {
          const td = tr.insertCell();
          td.textContent = text;
          if (before && before[column] !== text) td.className = "changed";
          if (column === 1) td.prepend(swatch(table.role(value)));
        });
        return tr;
      });
      const head = document.createElement("tr");
      for (const column of table.columns) {
        const th = document.createElement("th");
        th.scope = "col";
        th.textContent = word(column);
        head.append(th);
      }
      $(table.id).replaceChildren(head, ...rows);
    }
  }

  function swatch(role) {
    const mark = document.createElement("span");
    mark.className = "swatch";
    mark.style.background = `var(--${role}-fill)`;
    mark.style.borderColor = `var(--${role}-outline)`;
    return mark;
  }

  return { show };
}
