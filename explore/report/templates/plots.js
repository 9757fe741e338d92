// The plots of the page, by Vega-Lite.

const config = {
  background: null, font: "system-ui, sans-serif",
  axis: {labelColor: "currentColor", titleColor: "currentColor", gridColor: "currentColor",
         gridOpacity: 0.12, domainColor: "currentColor", domainOpacity: 0.4, tickOpacity: 0.4,
         tickColor: "currentColor", labelFontSize: 12, titleFontSize: 13, titleFontWeight: 600,
         labelFlush: false, labelOverlap: true},
  legend: {labelColor: "currentColor", titleColor: "currentColor", labelFontSize: 12,
           symbolSize: 90, labelLimit: 0, symbolBaseFillColor: "currentColor",
           symbolBaseStrokeColor: "currentColor"}, view: {stroke: null}};

const drawn = {};

async function draw(id, spec, height) {
  drawn[id]?.finalize();
  drawn[id] = await vegaEmbed(find(id), {
    width: "container", height, autosize: {type: "fit-x", contains: "padding"}, config, ...spec,
  }, {renderer: "svg", actions: false, tooltip: {theme: dark.matches ? "dark" : "light"}});
}

const tell = (id, text) => { find(id).textContent = text; };

// As in the style sheet: no colour is too dark on a dark page.
const shade = colour => `oklch(from ${colour} calc(var(--least) + var(--span) * l) c h)`;

function looks(chosen) {  // the channels of colour and shape, with one legend
  const domain = [...new Set(chosen.map(point => point.name))].sort();
  const longest = Math.max(...domain.map(name => name.length));
  const columns = Math.max(1, Math.floor(find("plot").clientWidth / (7 * longest + 40)));
  const channel = range => ({field: "name", type: "nominal", scale: {domain, range}, legend: {
    title: null, orient: "bottom", direction: "horizontal", columns: Math.min(columns, 6)}});
  return {color: channel(domain.map(name => shade(said.looks[name][0]))),
          shape: channel(domain.map(name => said.looks[name][1]))};
}

function tips(chosen) {  // what a text beside the pointer says
  const visible = columns.filter(isVisible).map(({name}) => name);
  const names = [...new Set(["core", "settings", ...visible])];
  return {
    tooltip: names.map(name => ({field: `tip${place[name]}`, title: title[name], type: "nominal"})),
    values: chosen.map(point => ({
      ...Object.fromEntries(names.map(name => [`tip${place[name]}`, String(shown(point, name))])),
      id: point.id, name: point.name, front: point.front === "yes"}))};
}

const ends = values => [Math.min(...values), Math.max(...values)];

function along(values, log, room) {  // the range of an axis, and numbers with room for them
  let [low, high] = ends(values);
  if (log) {  // a shorter range would exaggerate small differences
    const spread = Math.max(4 * low / high, 1) ** 0.5 * (high / low) ** 0.04;
    [low, high] = [low / spread, high * spread];
  } else {
    const more = (high - low) / 20 || Math.abs(high) / 2 || 1;
    [low, high] = [low - more, high + more];
  }
  const decades = Array.from({length: 24}, (_, power) => power - 9);
  const steps = [[1], [1, 3], [1, 2, 5], [1, 1.5, 2, 3, 5, 7], [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8]];
  const least = (high - low) / room, power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map(digit => digit * power).find(each => each >= least);
  const sets = log ? steps.map(each => decades.flatMap(
    power => each.map(digit => Number(`${digit}e${power}`))).filter(tick => tick >= low && tick <= high))
    : [Array.from({length: room + 2}, (_, place) => Number(
      ((Math.ceil(low / step) + place) * step).toPrecision(12))).filter(tick => tick <= high)];
  const near = each => Math.abs(each.length - Math.min(6, room)) + (each.length < 2 ? 99 : 0);
  return {domain: [low, high], values: sets.reduce((a, b) => near(b) < near(a) ? b : a)};
}

function drawPoints(chosen) {
  const [x, y] = ["x", "y"].map(axis => find(axis).value);
  const {tooltip, values} = tips(chosen);
  const known = chosen.map((point, index) => ({
    ...values[index], x: point[x], y: point[y],
    says: `${point.core}, ${point.width} bits: ${title[x]} ${shown(point, x)}, ${title[y]} `
      + `${shown(point, y)}${point.front === "yes" ? ", on the front" : ""}`,
  })).filter(point => point.x != null && point.y != null);
  if (!known.length) return tell("plot", "No chosen point has both figures.");
  const height = narrow() ? 340 : 460;
  const axis = name => {
    const values = known.map(point => point[name]);
    const log = find("logarithmic").checked && values.every(value => value > 0);
    const room = (name === "x" ? find("plot").clientWidth - 80 : height - 80) / 55;
    const {domain, values: ticks} = along(values, log, Math.max(2, Math.floor(room)));
    return {field: name, type: "quantitative", title: title[find(name).value],
            axis: {values: ticks, labelExpr: "datum.value", minExtent: name === "x" ? 0
              : 10 + 7 * Math.max(...ticks.map(tick => String(tick).length))},
            scale: {type: log ? "log" : "linear", domain, nice: false, zero: false}};
  };
  draw("plot", {
    description: `${title[y]} against ${title[x]} of ${known.length} points; the table of all `
      + "points has the same figures.",
    data: {values: known}, encoding: {x: axis("x"), y: axis("y")},
    layer: [
      {mark: {type: "point", filled: true, size: 120, opacity: 0.8},
       encoding: {...looks(known), tooltip, description: {field: "says"}}},
      {transform: [{filter: "datum.front"}],
       mark: {type: "point", filled: false, size: 270, color: "currentColor", strokeWidth: 1.6,
              opacity: 1, aria: false},
       encoding: {shape: looks(known).shape, tooltip}}]}, height);
}

function drawLines(chosen) {
  const axes = columns.filter(column => column.numeric && isVisible(column)).map(({name}) => {
    const [low, high] = ends(chosen.map(point => point[name]).filter(value => value != null));
    const scale = low > 0 ? Math.log : value => value;
    const at = value => (scale(value) - scale(low)) / (scale(high) - scale(low));
    return {name, low, high, at};
  }).filter(({low, high}) => low < high);
  if (!axes.length) return tell("lines", "The chosen points are alike.");
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
}
