// The timeline: the lanes are drawn once for a width, the cursor and the arrows anew for each step. Warps of one role fold
// into their group, which then shows how many of them do what.

function makeTimeline(recording) {
  const svg = $("timeline");
  const ruler = 24, gap = 4;
  const heights = { group: 22, agent: 22, copy: 22, stage: 22, barrier: 40 };
  const { lanes, groups } = recording.timeline;
  let { begin, end } = recording.timeline;
  let stressed = [];
  const pen = document.createElement("canvas").getContext("2d");
  const middles = {};  // of a lane that is folded, its group's
  let names = 0, scale = 1, total = 0, cursor = null, again = () => {};

  function make(tag, attributes, text) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    if (text !== undefined) element.textContent = text;
    return element;
  }

  const x = (time) => names + (time - begin) * scale;
  const membersOf = (key) => lanes.filter((lane) => lane.group === key);

  // Each group above the first lane that it folds, and the lanes that are not folded.
  function rows() {
    const headed = new Set();
    return lanes.flatMap((lane) => {
      const group = groups[lane.group];
      if (!group) return [lane];
      const head = headed.has(lane.group) ? [] : [{ key: lane.group, title: group.title, kind: "group" }];
      headed.add(lane.group);
      return group.folded ? head : [...head, lane];
    });
  }

  function draw() {
    svg.replaceChildren();
    pen.font = "12px system-ui, sans-serif";
    names = Math.max(...rows().map((lane) => pen.measureText(titleOf(lane)).width)) + 24;
    const width = Math.max(svg.clientWidth, names + 200);
    scale = (width - names - 12) / Math.max(end - begin, 1);
    svg.append(definitions(width - names));
    total = ruler;
    for (const lane of rows()) {
      const members = membersOf(lane.key);
      for (const { key } of [lane, ...members]) middles[key] = total + heights[lane.kind] / 2;
      const matters = [lane, ...members].some(({ key }) => stressed.includes(key));
      const group = svg.appendChild(make("g", { opacity: stressed.length && !matters ? 0.35 : 1 }));
      const title = group.appendChild(make("text", { x: 10, y: middles[lane.key] + 4, fill: "var(--text)" }, titleOf(lane)));
      const inside = group.appendChild(make("g", { "clip-path": "url(#lanes-clip)" }));
      if (lane.kind === "group") {
        headGroup(lane.key, title);
        drawShares(members, total, inside);
      } else drawLane(lane, total, inside);
      total += heights[lane.kind] + gap;
    }
    svg.setAttribute("height", total);
    svg.prepend(ticks(width));
    cursor = svg.appendChild(make("g", { id: "cursor", "clip-path": "url(#lanes-clip)" }));
  }

  function titleOf(lane) {
    return lane.kind === "group" ? `${groups[lane.key].folded ? "▸" : "▾"} ${lane.title}` : lane.title;
  }

  // A group's title is a button.
  function headGroup(key, title) {
    const says = { role: "button", tabindex: 0, class: "fold", "aria-expanded": !groups[key].folded, "data-group": key };
    for (const [name, value] of Object.entries(says)) title.setAttribute(name, value);
    title.append(make("title", {}, word("fold")));
    const toggle = (event) => {
      event.preventDefault();
      event.stopPropagation();
      groups[key].folded = !groups[key].folded;
      draw();
      again();
      if (event.type === "keydown") svg.querySelector(`[data-group="${CSS.escape(key)}"]`).focus();
    };
    title.addEventListener("click", toggle);
    title.addEventListener("keydown", (event) => { if (event.key === " " || event.key === "Enter") toggle(event); });
  }

  // How many of the warps do what, one above the other, where that changes.
  function drawShares(members, top, group) {
    const tall = heights.group / members.length;
    const boxes = members.flatMap((lane) => lane.boxes);
    const changes = boxes.flatMap(([first, last, role]) => [[first, role, 1], [last, role, -1]]).sort(([a], [b]) => a - b);
    const roles = ["error", "waiting", "reading", "running"];
    const counts = {}, paths = {};
    changes.forEach(([time, role, by], row) => {
      counts[role] = (counts[role] ?? 0) + by;
      const [from, to] = [Math.max(time, begin), Math.min(changes[row + 1]?.[0] ?? time, end)];
      if (from >= to) return;
      let y = top + heights.group;
      for (const each of roles.filter((one) => counts[one])) {
        y -= counts[each] * tall;
        paths[each] = `${paths[each] ?? ""}M${x(from)} ${y}H${x(to)}v${counts[each] * tall}H${x(from)}z`;
      }
    });
    for (const [role, d] of Object.entries(paths)) group.append(make("path", { d, fill: fillOf(role) }));
  }

  const fillOf = (role) =>
    role === "waiting" || role === "error" ? `url(#hatch-${role})` : `var(--${role.replace("_", "-")}-fill)`;

  // Show this stretch of time only, and dim all lanes but those that matter; an empty list dims none.
  function look(from, to, lanesThatMatter) {
    [begin, end, stressed] = [from, to, lanesThatMatter];
    draw();
  }

  function definitions(width) {
    const defs = make("defs", {});
    const clip = make("clipPath", { id: "lanes-clip" });
    clip.append(make("rect", { x: names, y: 0, width, height: 10000 }));
    defs.append(clip);
    for (const role of ["waiting", "error"]) {
      const pattern = make("pattern", { id: `hatch-${role}`, width: 8, height: 8, patternUnits: "userSpaceOnUse" });
      pattern.append(make("rect", { width: 8, height: 8, fill: `var(--${role}-fill)` }));
      pattern.append(make("path", { d: "M0 8 8 0", stroke: `var(--${role}-outline)`, "stroke-width": 2 }));
      defs.append(pattern);
    }
    return defs;
  }

  function ticks(width) {
    const group = make("g", {});
    const least = 90 / scale;
    const power = 10 ** Math.floor(Math.log10(least));
    const every = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= least);
    for (let time = Math.ceil(begin / every) * every; time <= end; time += every) {
      group.append(make("line", { x1: x(time), x2: x(time), y1: ruler - 6, y2: total, stroke: "var(--grid)" }));
      group.append(make("text", { x: x(time) + 3, y: 14, fill: "var(--text-muted)" }, formatTime(time, end, every)));
    }
    group.append(make("line", { x1: 0, x2: width, y1: ruler - 2, y2: ruler - 2, stroke: "var(--border)" }));
    return group;
  }

  function drawLane(lane, top, group) {
    const height = lane.kind === "barrier" ? 20 : heights[lane.kind];
    for (const [first, last, role, texts] of lane.boxes) {
      const [from, to] = [Math.max(first, begin), Math.min(last, end)];
      if (from >= to) continue;
      const name = role.replace("_", "-");
      const width = Math.max((to - from) * scale, 1);
      const fill = fillOf(role);
      const box = { x: x(from), y: top, width, height, fill };
      if (width > 3) box.stroke = `var(--${name}-outline)`;
      group.append(make("rect", box));
      const text = texts.find((candidate) => pen.measureText(candidate).width < width - 6);
      if (text !== undefined) label(group, text, x(from) + width / 2, top + height / 2 + 4, name, fill);
    }
    if (lane.kind === "barrier") drawPending(lane, top + 20, group);
  }

  function label(group, text, at, y, name, fill) {
    if (fill.startsWith("url")) {
      const width = pen.measureText(text).width + 6;
      group.append(make("rect", { x: at - width / 2, y: y - 12, width, height: 16, fill: `var(--${name}-fill)` }));
    }
    group.append(make("text", { x: at, y, fill: `var(--${name}-text)`, "text-anchor": "middle" }, text));
  }

  function drawPending(lane, top, group) {
    if (!lane.arrived.length) return;
    const y = (value) => top + 19 - (16 * value) / lane.most_arrived;
    let path = `M${x(lane.arrived[0][0])} ${y(lane.arrived[0][1])}`;
    for (const [time, value] of lane.arrived.slice(1)) path += `H${x(time)}V${y(value)}`;
    group.append(make("path", { d: `${path}H${x(end)}`, fill: "none", stroke: "var(--pending)", "stroke-width": 2 }));
  }

  function show(index) {
    again = () => show(index);
    const step = recording.steps[index];
    const at = x(step.time);
    cursor.replaceChildren(make("rect", { x: at - 1, y: ruler - 8, width: 2, height: total - ruler + 8, fill: "var(--accent)" }));
    for (const [from, source, to, target, role] of step.arrows) {
      const colour = `var(--${role.replace("_", "-")})`;
      const [x1, y1, x2, y2] = [x(from), middles[source], x(to), middles[target]];
      const reach = Math.max(Math.abs(x2 - x1) / 2, 18);
      const d = `M${x1} ${y1}C${x1 + reach} ${y1} ${x2 - reach - 8} ${y2} ${x2 - 8} ${y2}`;
      cursor.append(make("path", { d, fill: "none", stroke: "var(--panel)", "stroke-width": 5 }));
      cursor.append(make("path", { d, fill: "none", stroke: colour, "stroke-width": 2.4 }));
      cursor.append(make("path", { d: `M${x2} ${y2}l-10 -5v10z`, fill: colour }));
    }
    if (step.lane in middles) {
      const y = middles[step.lane];
      cursor.append(make("path", { d: `M${at} ${y - 7}l7 7-7 7-7-7z`, fill: "var(--accent)", stroke: "var(--panel)" }));
    }
  }

  // Hide everything after a step: the reader is still to say what comes.
  function veil(index) {
    again = () => { show(index); veil(index); };
    const left = x(recording.steps[index].time) + 2;
    const width = Math.max(x(end) - left, 0);
    cursor.append(make("rect", { x: left, y: ruler - 1, width, height: total - ruler + 1, fill: "var(--panel)" }));
    const middle = { x: left + width / 2, y: (total + ruler) / 2, fill: "var(--text)", class: "veil", "text-anchor": "middle" };
    cursor.append(make("text", middle, "?"));
  }

  function nearest(event) {
    const time = begin + (event.clientX - svg.getBoundingClientRect().left - names) / scale;
    let best = 0;
    recording.steps.forEach((step, index) => {
      if (Math.abs(step.time - time) < Math.abs(recording.steps[best].time - time)) best = index;
    });
    return best;
  }

  svg.setAttribute("aria-label", word("timeline"));
  if (Object.keys(groups).length) svg.setAttribute("role", "group");  // an image has no buttons in it
  return { draw, look, show, veil, nearest, element: svg };
}
