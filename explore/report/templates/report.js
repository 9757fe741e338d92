// The points of the page. One table holds all of them; what its filters leave is drawn.
const find = id => document.getElementById(id);
const points = said.rows.map((row, id) => Object.fromEntries(
  [["id", id], ...said.columns.map((column, place) => [column.name, row[place]])]));
const columns = said.columns.filter(column => column.title);
const title = Object.fromEntries(columns.map(column => [column.name, column.title]));
const place = Object.fromEntries(columns.map((column, index) => [column.name, index]));
const narrow = () => innerWidth <= 1000;
const dark = matchMedia("(prefers-color-scheme: dark)");

function number(value) {  // as tables elsewhere: three digits, or all before the point
  return Math.abs(value) >= 100 || Number.isInteger(value)
    ? value.toFixed(0) : value.toPrecision(3);
}

function shown(point, name) {
  const value = point[name];
  if (typeof value !== "number") return value ?? "–";
  const [low, high] = ["min", "max"].map(end => number(point[`${name}_${end}`] ?? value));
  return number(value) + (low === high ? "" : ` (${low}–${high})`);
}

function fill(select, options, first, otherwise = first) {  // what was chosen stays, if it can
  const wishes = [...(select.options.length ? [select.value] : []), first, otherwise];
  select.replaceChildren(...options.map(([value, text]) => new Option(text, value)));
  select.value = wishes.find(wish => options.some(([value]) => value === wish));
}

// Tables.

const escaped = text => DataTable.render.text().display(String(text));

function cell(point, name, numeric) {  // as HTML
  const text = `<span>${escaped(shown(point, name))}</span>`;
  const [colour, path] = said.looks[point.name];
  return name === "core" ? `<svg class="mark" viewBox="-1.5 -1.5 3 3" style="--colour:${colour}"`
    + ` aria-hidden="true"><path d="${path}"/></svg>${text}`
    : numeric ? text.replace(/ (\(.*\))/, " <small>$1</small>") : text;
}

function tableColumns(isShown) {
  return columns.map(({name, title, numeric, shown: usual}) => ({
    name, title: escaped(title), visible: isShown(name, usual), type: numeric ? "num" : "string",
    className: numeric ? "number" : "text", createdCell: made => { made.dataset.label = title; },
    data: (point, use) => use === "display" ? cell(point, name, numeric)
      : point[name] ?? (numeric ? null : "")}));
}

const table = new DataTable("#all", {
  data: points, columns: tableColumns((name, usual) => usual), autoWidth: false, pageLength: 10,
  order: {name: "latency_us", dir: "asc"},
  layout: {top2: "searchBuilder", topStart: {buttons: [{extend: "colvis", text: "Columns"}]},
           topEnd: "search", bottomStart: "info", bottomEnd: "paging"},
  language: {searchBuilder: {title: {0: "Filter by any column", _: "Filters (%d)"},
                             add: "Add a filter"}, search: "Text anywhere"}});
find("filters").append(table.searchBuilder.container()[0]);
new MutationObserver(() => {  // say what each part of a filter is
  for (const [part, label] of [["data", "Column"], ["condition", "Condition"], ["value", "Value"]])
    for (const made of find("filters").querySelectorAll(`.dtsb-${part}`)) made.ariaLabel = label;
}).observe(find("filters"), {childList: true, subtree: true});
const isVisible = ({name}) => table.column(place[name]).visible();
// Who chooses looks at these.
const useful = ["width", "lut", "ff", "dsp", "bram", "fmax_usable_mhz", "cycles_compute",
                "latency_us", "throughput_mbps"];
const choice = new DataTable("#choice", {
  columns: tableColumns(name => name === "core" || useful.includes(name)), autoWidth: false,
  paging: false, language: {emptyTable: "No chosen core has a clock frequency. All points, below, "
                                        + "have their areas."},
  layout: {topStart: null, topEnd: null, bottomStart: null, bottomEnd: null},
  order: [{name: "width", dir: "asc"}, {name: "latency_us", dir: "asc"}]});

function fit() {  // where columns would be cut off, rows are cards
  for (const table of document.querySelectorAll(".static, .dataTable")) {
    table.classList.remove("cards");
    const room = table.parentElement;
    table.classList.toggle("cards", room.scrollWidth > room.clientWidth);
  }
}

// What is chosen.

const chosenTarget = () => find("target").value;
const isOf = (select, value) => ["", String(value)].includes(find(select).value);

function choices(here, name, text, all) {  // each value, with its text and count
  const counts = new Map();
  for (const point of here) counts.set(point[name], (counts.get(point[name]) ?? 0) + 1);
  return [...[...counts].sort(([a, most], [b, more]) => name === "width" ? a - b : more - most)
    .map(([value, count]) => [String(value), `${text(value)} (${count})`, count]), ["", all, 0]];
}

function onTarget() {
  const target = chosenTarget();
  find("remark").textContent = said.targets[target];
  const rows = [...document.querySelectorAll("tr[data-target]")];
  for (const row of rows) row.hidden = row.dataset.target !== target;
  for (const body of new Set(rows.map(row => row.parentElement)))
    body.classList.toggle("none", [...body.rows].every(row => row.hidden));
  fill(find("kind"), choices(points.filter(point => point.target === target), "kind",
                             kind => said.kinds[kind], "all kinds"), "multiplier", "");
  onKind();
}

function onKind() {
  const here = points.filter(({target, kind}) => target === chosenTarget() && isOf("kind", kind));
  const widths = choices(here, "width", width => `${width} bits`, "all widths");
  const [most] = widths.reduce((best, each) => each[2] > best[2] ? each : best);
  fill(find("width"), widths, "256", most);
  table.draw();
}

let last = "";

function show(always) {
  const chosen = table.rows({search: "applied"}).data().toArray();
  const mark = JSON.stringify([chosen.map(({id}) => id).sort((a, b) => a - b), narrow()]);
  if (mark === last && always !== true) return;  // only the order or the page is another one
  last = mark;
  const front = chosen.filter(point => point.front === "yes");
  for (const name of useful)  // a column of zeros says nothing
    choice.column(place[name]).visible(name === "width" ? !find("width").value
      : front.some(point => point[name]), false);
  choice.clear().rows.add(front).draw();
  fit();
  find("count").textContent = `${chosen.length} of ${points.length} points are chosen; `
    + `${front.length} of them are on the front.`;
  drawPoints(chosen);
  drawLines(chosen);
}

const axes = columns.filter(({numeric}) => numeric).map(({name, title}) => [name, title]);
fill(find("x"), axes, "lut");
fill(find("y"), axes, "latency_us");
fill(find("target"), Object.keys(said.targets).map(name => [name, name]), said.target);
table.search.fixed("chosen", (text, {target, kind, width}) => target === chosenTarget()
  && isOf("kind", kind) && isOf("width", width));
const dress = () => document.documentElement.classList.toggle("dark", dark.matches);
dress();
dark.addEventListener("change", () => { dress(); show(true); });
addEventListener("resize", () => { fit(); show(); });
table.on("draw", () => { show(); fit(); });
table.on("column-visibility", () => { fit(); show(true); });
find("target").addEventListener("change", onTarget);
find("kind").addEventListener("change", onKind);
find("width").addEventListener("change", () => table.draw());
for (const id of ["x", "y", "logarithmic"]) find(id).addEventListener("change", () => show(true));
onTarget();
