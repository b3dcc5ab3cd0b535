// The timeline: the lanes are drawn once for a width, the cursor and the arrows anew for each step.

function makeTimeline(recording) {
  const svg = $("timeline");
  const ruler = 24, gap = 4;
  const heights = { agent: 22, copy: 22, stage: 22, barrier: 40 };
  const { lanes } = recording.timeline;
  let { begin, end } = recording.timeline;
  let stressed = [];
  const pen = document.createElement("canvas").getContext("2d");
  const tops = {};
  let names = 0, scale = 1, total = 0, cursor = null;

  function make(tag, attributes, text) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    if (text !== undefined) element.textContent = text;
    return element;
  }

  const x = (time) => names + (time - begin) * scale;
  const middle = (key) => tops[key] + heights[lanes.find((lane) => lane.key === key).kind] / 2;

  function draw() {
    svg.replaceChildren();
    pen.font = "12px system-ui, sans-serif";
    names = Math.max(...lanes.map((lane) => pen.measureText(lane.title).width)) + 24;
    const width = Math.max(svg.clientWidth, names + 200);
    scale = (width - names - 12) / Math.max(end - begin, 1);
    svg.append(definitions(width - names));
    total = ruler;
    for (const lane of lanes) {
      tops[lane.key] = total;
      const opacity = stressed.length && !stressed.includes(lane.key) ? 0.35 : 1;
      const group = svg.appendChild(make("g", { opacity }));
      group.append(make("text", { x: 10, y: total + heights[lane.kind] / 2 + 4, fill: "var(--text)" }, lane.title));
      drawLane(lane, total, group.appendChild(make("g", { "clip-path": "url(#lanes-clip)" })));
      total += heights[lane.kind] + gap;
    }
    svg.setAttribute("height", total);
    svg.prepend(ticks(width));
    cursor = svg.appendChild(make("g", { id: "cursor", "clip-path": "url(#lanes-clip)" }));
  }

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
      group.append(make("text", { x: x(time) + 3, y: 14, fill: "var(--text-muted)" }, formatTime(time)));
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
      const fill = role === "waiting" || role === "error" ? `url(#hatch-${role})` : `var(--${name}-fill)`;
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
    if (!lane.pending.length) return;
    const y = (value) => top + 19 - (16 * value) / lane.most_pending;
    let path = `M${x(lane.pending[0][0])} ${y(lane.pending[0][1])}`;
    for (const [time, value] of lane.pending.slice(1)) path += `H${x(time)}V${y(value)}`;
    group.append(make("path", { d: `${path}H${x(end)}`, fill: "none", stroke: "var(--pending)", "stroke-width": 2 }));
  }

  function show(index) {
    const step = recording.steps[index];
    const at = x(step.time);
    cursor.replaceChildren(make("rect", { x: at - 1, y: ruler - 8, width: 2, height: total - ruler + 8, fill: "var(--accent)" }));
    for (const [from, source, to, target, role] of step.arrows) {
      const colour = `var(--${role.replace("_", "-")})`;
      const [x1, y1, x2, y2] = [x(from), middle(source), x(to), middle(target)];
      const reach = Math.max(Math.abs(x2 - x1) / 2, 18);
      const d = `M${x1} ${y1}C${x1 + reach} ${y1} ${x2 - reach - 8} ${y2} ${x2 - 8} ${y2}`;
      cursor.append(make("path", { d, fill: "none", stroke: "var(--panel)", "stroke-width": 5 }));
      cursor.append(make("path", { d, fill: "none", stroke: colour, "stroke-width": 2.4 }));
      cursor.append(make("path", { d: `M${x2} ${y2}l-10 -5v10z`, fill: colour }));
    }
    if (step.lane in tops) {
      const y = middle(step.lane);
      cursor.append(make("path", { d: `M${at} ${y - 7}l7 7-7 7-7-7z`, fill: "var(--accent)", stroke: "var(--panel)" }));
    }
  }

  // Hide everything after a step: the reader is still to say what comes.
  function veil(index) {
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
  return { draw, look, show, veil, nearest, element: svg };
}
