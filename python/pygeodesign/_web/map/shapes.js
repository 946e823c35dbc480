// Shapes: world coordinates from 0 to 1, as Web Mercator has them.

function positions(deltas) {
  const found = new Float64Array(deltas.length);
  let lon = 0, lat = 0;
  for (let at = 0; at < deltas.length; at += 2) {
    lon += deltas[at];
    lat += deltas[at + 1];
    found[at] = lon / data.scale / 360 + 0.5;
    const sine = Math.sin(Math.max(-85.05, Math.min(85.05, lat / data.scale)) * Math.PI / 180);
    found[at + 1] = 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI);
  }
  return found;
}

function shape(rings, isLine) {
  const lines = rings.map(positions);
  let west = Infinity, north = Infinity, east = -Infinity, south = -Infinity;
  for (const line of lines) {
    for (let at = 0; at < line.length; at += 2) {
      west = Math.min(west, line[at]);
      east = Math.max(east, line[at]);
      north = Math.min(north, line[at + 1]);
      south = Math.max(south, line[at + 1]);
    }
  }
  return { lines, isLine, west, north, east, south };
}

const polygons = (list) => list.map((rings) => shape(rings, false));
const boundary = polygons(data.boundary);
const constraints = polygons(data.constraints);
const evaluations = data.evaluations.map((map) => map.shapes.map(([kind, rings]) => ({ ...shape(rings, false), kind })));
const shapes = data.diagrams.flatMap((diagram, number) => [
  ...diagram.polygons.map((rings) => ({ ...shape(rings, false), number, diagram })),
  ...diagram.lines.map((line) => ({ ...shape([line], true), number, diagram })),
]);
// Policies lie below projects, and areas below lines.
shapes.sort((a, b) => !!b.diagram.policy - !!a.diagram.policy || a.isLine - b.isLine);

const isShown = (found, view) =>
  shown.systems[found.diagram.system] && (found.diagram.policy ? shown.policies : shown.projects) &&
  (!view.members || view.members.has(found.number));
