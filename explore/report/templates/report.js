// The interactive part of the page. One table holds all points; what its filters leave is drawn.
const said = JSON.parse(document.getElementById("data").textContent);
const find = id => document.getElementById(id);
const points = said.rows.map((row, id) => Object.fromEntries(
  [["id", id], ...said.columns.map((column, place) => [column.name, row[place]])]));
const columns = said.columns.filter(column => column.title);
const title = Object.fromEntries(columns.map(column => [column.name, column.title]));
const place = Object.fromEntries(columns.map((column, index) => [column.name, index]));
// No colour is too dark on a dark page.
const colours = Object.fromEntries(Object.entries(said.colours).map(
  ([arch, colour]) => [arch, `oklch(from ${colour} max(l, var(--least)) c h)`]));
const narrow = () => innerWidth < 700;
const dark = matchMedia("(prefers-color-scheme: dark)");

function number(value) {  // as tables elsewhere: three digits, or all before the point
  return Math.abs(value) >= 100 || Number.isInteger(value)
    ? value.toFixed(0) : String(Number(value.toPrecision(3)));
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
  return name === "core" ? `<i class="dot" style="background:${colours[point.arch]}"></i>${text}`
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
const isVisible = ({name}) => table.column(place[name]).visible();
// Who chooses looks at these.
const useful = ["width", "lut", "ff", "dsp", "bram", "fmax_usable_mhz", "cycles_compute",
                "latency_us", "throughput_mbps"];
const choice = new DataTable("#choice", {
  columns: tableColumns(name => name === "core" || useful.includes(name)), autoWidth: false,
  paging: false, layout: {topStart: null, topEnd: null, bottomStart: null, bottomEnd: null},
  order: [{name: "width", dir: "asc"}, {name: "latency_us", dir: "asc"}]});

// Plots.

const config = {
  background: null, font: "system-ui, sans-serif",
  axis: {labelColor: "currentColor", titleColor: "currentColor", gridColor: "currentColor",
         gridOpacity: 0.12, domainColor: "currentColor", domainOpacity: 0.4, tickOpacity: 0.4,
         tickColor: "currentColor", labelFontSize: 12, titleFontSize: 13, titleFontWeight: 600,
         labelFlush: true, labelOverlap: true},
  legend: {labelColor: "currentColor", titleColor: "currentColor", labelFontSize: 12,
           symbolSize: 90, labelLimit: 0, symbolBaseFillColor: "currentColor",
           symbolBaseStrokeColor: "currentColor"}, view: {stroke: null}};

function draw(id, spec, height) {
  return vegaEmbed(find(id), {
    width: "container", height, autosize: {type: "fit-x", contains: "padding"}, config, ...spec,
  }, {renderer: "svg", actions: false, ast: false,
      tooltip: {theme: dark.matches ? "dark" : "light"}});
}

function looks(chosen) {  // the channels of colour and shape
  const channel = (field, of, title) => {
    const domain = [...new Set(chosen.map(point => point[field]))].sort();
    return {field, type: "nominal", scale: {domain, range: domain.map(name => of[name])},
            legend: {title, orient: "bottom", direction: "horizontal", columns: narrow() ? 2 : 5}};
  };
  return {color: channel("arch", colours, "Architecture"),
          shape: channel("kind", said.shapes, "Kind")};
}

function tips(chosen) {  // what a text beside the pointer says
  const visible = columns.filter(isVisible).map(({name}) => name);
  const names = [...new Set(["core", "settings", ...visible])];
  return {
    tooltip: names.map(name => ({field: `tip${place[name]}`, title: title[name], type: "nominal"})),
    values: chosen.map(point => ({
      ...Object.fromEntries(names.map(name => [`tip${place[name]}`, String(shown(point, name))])),
      id: point.id, arch: point.arch, kind: point.kind, front: point.front === "yes"}))};
}

const ends = values => [Math.min(...values), Math.max(...values)];

function ticks(values) {  // 1, 2, 5, 10, … in the range of the values, or more if these are few
  const [low, high] = ends(values);
  const decades = Array.from({length: 24}, (_, power) => power - 9);
  const found = [[1, 2, 5], [1, 1.5, 2, 3, 5, 7], [1, 1.2, 1.5, 1.7, 2, 2.5, 3, 4, 5, 6, 7, 8, 9]]
    .map(each => decades.flatMap(power => each.map(digit => Number(`${digit}e${power}`)))
      .filter(tick => tick >= low && tick <= high));
  return found.find(each => each.length > 3) ?? found[2];
}

function drawPoints(chosen) {
  const [x, y] = ["x", "y"].map(axis => find(axis).value);
  const {tooltip, values} = tips(chosen);
  const drawn = chosen.map((point, index) => ({
    ...values[index], x: point[x], y: point[y],
    says: `${point.core}, ${point.width} bits: ${title[x]} ${shown(point, x)}, ${title[y]} `
      + `${shown(point, y)}${point.front === "yes" ? ", on the front" : ""}`,
  })).filter(point => point.x != null && point.y != null);
  const along = name => {
    const values = drawn.map(point => point[name]);
    const log = find("logarithmic").checked && values.every(value => value > 0);
    return {field: name, type: "quantitative", title: title[find(name).value],
            axis: log ? {values: ticks(values), labelExpr: "datum.value"}
                      : {tickCount: narrow() ? 4 : 8},
            scale: log ? {type: "log", nice: false, padding: 16} : {zero: false, padding: 16}};
  };
  draw("plot", {
    description: `${title[y]} against ${title[x]} of ${drawn.length} points; the table of all `
      + "points has the same figures.",
    data: {values: drawn}, encoding: {x: along("x"), y: along("y")},
    layer: [
      {mark: {type: "point", filled: true, size: 100, opacity: 0.8},
       encoding: {...looks(drawn), tooltip, description: {field: "says"}}},
      {transform: [{filter: "datum.front"}],
       mark: {type: "point", filled: false, size: 230, color: "currentColor", strokeWidth: 1.6,
              opacity: 1, aria: false},
       encoding: {shape: looks(drawn).shape, tooltip}}]}, narrow() ? 340 : 460);
  find("plot").hidden = !drawn.length;
}

function drawLines(chosen) {
  const axes = columns.filter(column => column.numeric && isVisible(column)).map(({name}) => {
    const [low, high] = ends(chosen.map(point => point[name]).filter(value => value != null));
    const scale = low > 0 ? Math.log : value => value;
    const at = value => (scale(value) - scale(low)) / (scale(high) - scale(low));
    return {name, low, high, at};
  }).filter(({low, high}) => low < high);
  const {tooltip, values} = tips(chosen);
  const flat = axes.flatMap(({name, at}) => chosen.flatMap((point, index) =>
    point[name] == null ? [] : [{...values[index], axis: title[name], at: at(point[name])}]));
  const texts = axes.flatMap(({name, low, high}) => [low, high].map(
    (end, at) => ({axis: title[name], at, text: number(end)})));
  const [across, up] = narrow() ? ["y", "x"] : ["x", "y"];
  const axis = {[across]: {field: "axis", type: "nominal", sort: null, title: null,
                           axis: {grid: true, gridOpacity: 0.4, labelAngle: 0, ticks: false,
                                  domain: false, labelFontSize: 11,
                                  labelExpr: "split(datum.label, ', ')"}},
                [up]: {field: "at", type: "quantitative", axis: null,
                       scale: {domain: [0, 1], padding: narrow() ? 4 : 22}}};
  draw("lines", {
    description: "Parallel coordinates: one line for each point, one axis for each column.",
    layer: [
      {data: {values: flat},
       params: [{name: "brush", select: {type: "interval"}}],
       transform: [
         {calculate: "(isValid(brush.at) ? inrange(datum.at, brush.at) "
                     + "&& indexof(brush.axis, datum.axis) >= 0 : datum.front) ? 1 : 0", as: "in"},
         {joinaggregate: [{op: "max", field: "in", as: "marked"}], groupby: ["id"]}],
       mark: {type: "line", strokeWidth: 1.4, aria: false},
       encoding: {...axis, color: {...looks(values).color, legend: null}, tooltip,
                  detail: {field: "id"},
                  opacity: {condition: {test: "datum.marked", value: 0.95}, value: 0.25}}},
      {data: {values: texts},
       mark: {type: "text", color: "currentColor", fontSize: 11, aria: false,
              ...(narrow() ? {dy: -9, align: {expr: "datum.at ? 'right' : 'left'"}}
                           : {dy: {expr: "datum.at ? -12 : 12"}})},
       encoding: {...axis, text: {field: "text"}}}]},
    narrow() ? 40 * axes.length : 300);
  find("lines").hidden = !axes.length;
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
addEventListener("resize", () => show());
table.on("draw", () => show());
table.on("column-visibility", () => show(true));
find("target").addEventListener("change", onTarget);
find("kind").addEventListener("change", onKind);
find("width").addEventListener("change", () => table.draw());
for (const id of ["x", "y", "logarithmic"]) find(id).addEventListener("change", () => show(true));
onTarget();
