// The interactive part of the page. One table holds all points; what its filters leave is drawn.
const said = JSON.parse(document.getElementById("data").textContent);
const find = id => document.getElementById(id);
const points = said.rows.map((row, id) => Object.fromEntries(
  [["id", id], ...said.columns.map((column, place) => [column.name, row[place]])]));
const columns = said.columns.filter(column => column.title);
const title = Object.fromEntries(columns.map(column => [column.name, column.title]));
const narrow = () => innerWidth < 700;
const dark = matchMedia("(prefers-color-scheme: dark)");

function number(value) {  // as tables elsewhere: three digits, or all before the point
  return Math.abs(value) >= 100 || Number.isInteger(value)
    ? value.toFixed(0) : String(Number(value.toPrecision(3)));
}

function shown(point, name) {
  const value = point[name];
  if (typeof value !== "number") return value ?? "–";
  const [low, high] = [point[`${name}_min`] ?? value, point[`${name}_max`] ?? value];
  return number(value) + (number(low) === number(high) ? "" : ` (${number(low)}–${number(high)})`);
}

function fill(select, options, chosen) {
  select.replaceChildren(...options.map(([value, text]) => new Option(text, value)));
  select.value = options.some(([value]) => value === chosen) ? chosen : options[0][0];
}

function counted(values) {  // from each value to how often it is there
  const found = new Map();
  for (const value of values) found.set(value, (found.get(value) ?? 0) + 1);
  return found;
}

// Tables.

const escaped = text => DataTable.render.text().display(text);

function tableColumns(isShown) {
  return columns.map(({name, title, numeric, shown: usual}) => ({
    name, title, visible: isShown({name, usual}), type: numeric ? "num" : "string",
    className: numeric ? "number" : "text",
    data: (point, type) => type !== "display" ? point[name] ?? (numeric ? null : "")
      : (name === "core" ? `<i class="dot" style="background:${said.colours[point.arch]}"></i>` : "")
        + `<span>${escaped(String(shown(point, name)))}</span>`
          .replace(/ (\(.*\))/, numeric ? " <small>$1</small>" : "$&"),
    createdCell: cell => { cell.dataset.label = title; }}));
}

const table = new DataTable("#all", {
  data: points, columns: tableColumns(({usual}) => usual), autoWidth: false, pageLength: 10,
  order: {name: "latency_us", dir: "asc"},
  layout: {top2: "searchBuilder", topStart: {buttons: [{extend: "colvis", text: "Columns"}]},
           topEnd: "search", bottomStart: "info", bottomEnd: "paging"},
  language: {searchBuilder: {title: {0: "Filter by any column", _: "Filters (%d)"},
                             add: "Add a filter"}, search: "Text anywhere"}});
// Who chooses looks at these, if they differ.
const useful = ["width", "lut", "ff", "dsp", "bram", "fmax_usable_mhz", "cycles_compute", "latency_us",
                "throughput_mbps"];
const choice = new DataTable("#choice", {
  columns: tableColumns(({name}) => name === "core" || useful.includes(name)), autoWidth: false,
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
           symbolSize: 90, labelLimit: 0}, view: {stroke: null}};

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
  return {color: channel("arch", said.colours, "Architecture"),
          shape: channel("kind", said.shapes, "Kind")};
}

const named = name => name.replace(/[^A-Za-z0-9]/g, "_");

function tips(chosen) {  // what a text beside the pointer says
  const names = ["core", "settings", "width", "status", ...columns.map(({name}) => name).filter(
    name => table.column(`${name}:name`).visible() && name !== "core" && name !== "width"
      && name !== "status")];
  return {
    tooltip: names.map(name => ({field: `tip_${named(name)}`, title: title[name], type: "nominal"})),
    values: chosen.map(point => ({
      ...Object.fromEntries(names.map(name => [`tip_${named(name)}`, String(shown(point, name))])),
      id: point.id, arch: point.arch, kind: point.kind, front: point.front === "yes",
      says: `${point.core}, ${point.width} bits`}))};
}

function ticks(values) {  // 1, 2, 5, 10, … as far as the values go, and one beyond
  const decades = Array.from({length: 24}, (_, power) => power - 9);
  const all = decades.flatMap(power => [1, 2, 5].map(each => Number(`${each}e${power}`)));
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return all.filter(tick => tick > low / 2 && tick < high * 2);
}

function drawPoints(chosen) {
  const [x, y] = ["x", "y"].map(axis => find(axis).value);
  const {tooltip, values} = tips(chosen);
  const drawn = values.map((value, place) => ({
    ...value, x: chosen[place][x], y: chosen[place][y],
    says: `${value.says}: ${title[x]} ${shown(chosen[place], x)}, ${title[y]} `
      + `${shown(chosen[place], y)}${value.front ? ", on the front" : ""}`,
  })).filter(point => point.x != null && point.y != null);
  const along = name => {
    const values = drawn.map(point => point[name]);
    const log = find("logarithmic").checked && values.every(value => value > 0);
    return {field: name, type: "quantitative", title: title[find(name).value],
            axis: log ? {values: ticks(values), labelExpr: "datum.value"}
                      : {tickCount: narrow() ? 4 : 8},
            scale: log ? {type: "log", nice: false, padding: 16} : {zero: false, padding: 16}};
  };
  const where = {x: along("x"), y: along("y")};
  draw("plot", {
    description: `${title[y]} against ${title[x]} of ${drawn.length} points; the table of all `
      + "points has the same figures.",
    data: {values: drawn}, encoding: where,
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
  const axes = columns.filter(({name, numeric}) => numeric && table.column(`${name}:name`).visible())
    .map(({name}) => {
      const known = chosen.map(point => point[name]).filter(value => value != null);
      const [low, high] = [Math.min(...known), Math.max(...known)];
      const scale = low > 0 ? Math.log : value => value;
      return {name, low, high, at: value => (scale(value) - scale(low)) / (scale(high) - scale(low))};
    }).filter(({low, high}) => low < high);
  const {tooltip, values} = tips(chosen);
  const flat = axes.flatMap(({name, at}) => values.flatMap((value, place) =>
    chosen[place][name] == null ? [] : [{...value, axis: title[name], at: at(chosen[place][name])}]));
  const ends = axes.flatMap(({name, low, high}) => [
    {axis: title[name], at: 0, text: number(low)}, {axis: title[name], at: 1, text: number(high)}]);
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
         {calculate: "!isValid(brush.at) || (inrange(datum.at, brush.at) && "
                     + "indexof(brush.axis, datum.axis) >= 0) ? 1 : 0", as: "in"},
         {joinaggregate: [{op: "max", field: "in", as: "hit"}], groupby: ["id"]}],
       mark: {type: "line", strokeWidth: 1.4, aria: false},
       encoding: {...axis, color: {...looks(values).color, legend: null}, detail: {field: "id"}, tooltip,
                                    opacity: {condition: {test: "datum.hit > 0 && datum.front", value: 0.95},
                            value: 0.25}}},
      {data: {values: ends},
       mark: {type: "text", color: "currentColor", fontSize: 11, aria: false,
              ...(narrow() ? {dy: -9, align: {expr: "datum.at ? 'right' : 'left'"}}
                           : {dy: {expr: "datum.at ? -12 : 12"}})},
       encoding: {...axis, text: {field: "text"}}}]},
    narrow() ? 40 * axes.length : 300);
  find("lines").hidden = !axes.length;
}

// What is chosen.

function chosenTarget() { return find("target").value; }

function onTarget() {
  const target = chosenTarget();
  find("remark").textContent = said.targets[target];
  for (const row of document.querySelectorAll("tr[data-target]"))
    row.hidden = row.dataset.target !== target;
  for (const body of document.querySelectorAll(".of-target tbody"))
    body.parentElement.classList.toggle("none", [...body.rows].every(row => row.hidden));
  const kinds = counted(points.filter(point => point.target === target).map(({kind}) => kind));
  fill(find("kind"), [...[...kinds].map(([kind, count]) => [kind, `${said.kinds[kind]} (${count})`]),
                      ["", "all kinds"]], find("kind").value || "multiplier");
  onKind();
}

function onKind() {
  const [target, kind] = [chosenTarget(), find("kind").value];
  const widths = [...counted(points.filter(point => point.target === target
    && (!kind || point.kind === kind)).map(({width}) => width))].sort(([a], [b]) => a - b);
  const most = widths.toSorted(([, a], [, b]) => b - a)[0][0];
  const wish = find("width").value || "256";
  fill(find("width"), [...widths.map(([width, count]) => [String(width), `${width} bits (${count})`]),
                       ["", "all widths"]],
       widths.some(([width]) => String(width) === wish) ? wish : String(most));
  table.draw();
}

let last = "";

function show(always) {
  const chosen = table.rows({search: "applied"}).data().toArray();
  const mark = JSON.stringify([chosen.map(({id}) => id).sort((a, b) => a - b), narrow()]);
  if (mark === last && always !== true) return;  // only the order or the page is another one
  last = mark;
  const front = chosen.filter(point => point.front === "yes");
  for (const name of useful)
    choice.column(`${name}:name`).visible(new Set(front.map(point => point[name])).size > 1, false);
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
  && (!find("kind").value || kind === find("kind").value)
  && (!find("width").value || String(width) === find("width").value));
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
