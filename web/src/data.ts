// SPDX-License-Identifier: Apache-2.0
// The data contract between the report writer and the page (docs/report-data.md says the same in
// words), and the decoder of the binary block.

export type Vec3 = [number, number, number];

/** A report holds one run, or several of the same mechanism for comparison. */
export interface ReportHeader {
  format: 1;
  generator: string; // "holonom 0.1.0 (openblas, klu, ...)"
  created: string; // ISO 8601, UTC
  runs: RunHeader[];
}

export interface RunHeader {
  label: string; // short text that tells the runs apart: method and step
  model: string;
  space: "planar" | "spatial";
  gravity: Vec3;
  file: string;
  source: string; // model text, "" when the model was built by a program
  bodies: BodyData[]; // index 0 is the ground
  joints: JointData[];
  springs: SpringData[];
  forces: ForceData[];
  beams?: BeamData[]; // absent: none
  modals?: ModalData[]; // the same
  columns: ColumnData[]; // columns[0] is time
  samples: number;
  groups: SummaryGroup[];
  warnings: string[];
  redundancies: string[];
  certificate?: Certificate | null; // null or absent: the run is not certified
  contacts?: ContactShape[]; // absent: none
  events?: EventData[]; // absent: none
  modes?: ModeData[]; // absent: a run; else the samples are shapes of modes, one after the other
  block: BlockData;
}

/** A line of the table of events. */
export interface EventData {
  time: number;
  name: string;
  kind: string; // touch impact lift stick share slip stop rest user
  speed_before?: number;
  speed_after?: number;
  impulse_n?: number;
  impulse_t?: number;
  loss?: number;
}

/** A shape of a body that may touch others; body axes. */
export interface ContactShape {
  type: "point" | "circle" | "sphere" | "line" | "plane" | "corners" | "polyline" | "curve" | "cylinder";
  body: number;
  at: Vec3;
  axis?: Vec3; // out of the material, or of a cylinder
  radius?: number;
  length?: number; // of a cylinder
  edges?: number[]; // of the box with these corners
  path?: number[]; // x, y of each point
  hollow?: boolean; // the other one lies inside
}

/** Bounds of the errors, found by a second run. */
export interface Certificate {
  accuracy: number | null; // asked for
  reached: number | null; // null: nothing is certain at the end
  until: number;
  doubling_seconds: number | null;
  methods: string[];
  text: string;
  digits: Record<string, number>; // of the results
  not_unique: string[];
  columns: Record<string, CertifiedColumn>;
}

export interface CertifiedColumn {
  digits: number; // that may be printed
  unique: boolean; // false: redundant constraints leave it undetermined
  bounds: [number, number | null][]; // from a time on; null: none can be given
}

/** A mode, or a free motion (no numbers): one turn of its phase stands between two times. */
export interface ModeData {
  name: string;
  text: string; // who moves
  from: number;
  to: number;
  real?: number; // eigenvalue [1/s]
  imag?: number;
  frequency_hz?: number;
  damping?: number;
}

export interface PointData {
  name: string;
  at: Vec3;
}

export interface BodyData {
  name: string;
  type: "ground" | "rigid" | "point" | "coordinate";
  mass: number;
  inertia: number[]; // planar [I]; spatial [Ixx, Iyy, Izz]
  shape: ShapeData | null; // null: the page chooses a drawing
  points: PointData[]; // body axes, from the centre of mass
  // Columns of the pose: planar x, y, angle; spatial x, y, z, qw, qx, qy, qz; point x, y[, z];
  // coordinate: its value. Empty for the ground.
  pose: number[];
}

export interface ShapeData {
  type: "cylinder" | "box" | "sphere" | "mesh";
  from: Vec3;
  to: Vec3;
  size: Vec3;
  radius: number;
  color: string; // "" or "#rrggbb"
  mesh: number; // index of a mesh column (9 numbers a triangle), -1: none
}

export interface AnchorData {
  body: number;
  at: Vec3; // body axes
  axis: Vec3 | null;
}

export interface JointData {
  name: string;
  type: string;
  a: AnchorData;
  b: AnchorData;
  couples?: boolean; // two other joints: it has no place of its own
}

export interface SpringData {
  name: string;
  type: string;
  a: AnchorData;
  b: AnchorData;
}

export interface ForceData {
  name: string;
  type: string;
  on: AnchorData;
}

/** A beam: nodes are the bodies first .. first + elements. */
export interface BeamData {
  name: string;
  first: number;
  elements: number;
  length: number; // of an element without forces
  stress: number[]; // of stretch, curvature about y, about z; empty: the section has no shape
  round: boolean;
  free: Vec3[]; // turn of each element without forces, about its axes
}

/** A modal body: its frame is a body, its modes are the coordinates behind it. */
export interface ModalData {
  name: string;
  body: number;
  modes: number;
  nodes: number[]; // three coordinates each, axes of the frame
  shapes: number[]; // of each node the displacement by each mode, three numbers
  edges: number[]; // pairs of nodes
  interfaces: number[]; // bodies
}

export interface ColumnData {
  name: string;
  unit: string;
  type: "f32" | "f64";
  count: number; // numbers stored; 0: every value equals `base`
  base: number; // value = base + stored number, so that small drifts survive single precision
  hidden: boolean; // serves the drawing only
  chosen: boolean; // named in the model's `outputs:`
}

export interface BlockData {
  id: string; // of the script element that holds it
  encoding: "base64" | "deflate-raw+base64";
  bytes: number; // before compression
}

export interface SummaryGroup {
  title: string;
  items: { key: string; value: string }[];
}

export interface Column {
  name: string;
  unit: string;
  values: Float64Array;
}

/** One run with its numbers unpacked. */
export interface Run {
  header: RunHeader;
  time: Float64Array;
  columns: Column[]; // same order as header.columns
  byName: Map<string, Column>;
}

export interface Report {
  header: ReportHeader;
  runs: Run[];
}

function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.trim());
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

async function inflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Bytes of the block of a run, decompressed. */
export async function decodeBlock(block: BlockData, text: string): Promise<Uint8Array<ArrayBuffer>> {
  let bytes = bytesOfBase64(text);
  if (block.encoding === "deflate-raw+base64") bytes = await inflate(bytes);
  if (bytes.length !== block.bytes)
    throw new Error(`the data block has ${bytes.length} bytes, ${block.bytes} expected`);
  return bytes;
}

/** The columns out of a block: byte planes (all first bytes, all second bytes, ...) of each column. */
export function unpack(header: RunHeader, bytes: Uint8Array<ArrayBuffer>): Run {
  const columns: Column[] = [];
  let offset = 0;
  for (const c of header.columns) {
    const width = c.type === "f64" ? 8 : 4;
    const plain = new Uint8Array(c.count * width);
    for (let k = 0; k < width; k++)
      for (let i = 0; i < c.count; i++) plain[i * width + k] = bytes[offset + k * c.count + i];
    offset += c.count * width;
    const stored = c.type === "f64" ? new Float64Array(plain.buffer) : new Float32Array(plain.buffer);
    const values = new Float64Array(c.count === 0 ? header.samples : c.count);
    if (c.count === 0) values.fill(c.base);
    else for (let i = 0; i < c.count; i++) values[i] = c.base + stored[i];
    columns.push({ name: c.name, unit: c.unit === "1" ? "" : c.unit, values });
  }
  const byName = new Map(columns.map((c) => [c.name, c]));
  addDerived(header, byName);
  return { header, time: columns[0].values, columns, byName };
}

/** Magnitudes of reaction forces and of velocities, as further columns to plot. */
function addDerived(header: RunHeader, byName: Map<string, Column>): void {
  const magnitude = (name: string, parts: string[], unit: string) => {
    const found = parts.map((p) => byName.get(p)).filter((c): c is Column => c !== undefined);
    if (found.length < 2 || byName.has(name)) return;
    const values = new Float64Array(header.samples);
    for (let i = 0; i < values.length; i++)
      values[i] = Math.sqrt(found.reduce((s, c) => s + c.values[i] * c.values[i], 0));
    byName.set(name, { name, unit, values });
  };
  for (const j of header.joints) magnitude(`|${j.name}.f|`, ["fx", "fy", "fz"].map((p) => `${j.name}.${p}`), "N");
  for (const b of header.bodies) magnitude(`|${b.name}.v|`, ["vx", "vy", "vz"].map((p) => `${b.name}.${p}`), "m/s");
}

/** The report in this document; null when the page is an empty template. */
export async function loadReport(root: Document): Promise<Report | null> {
  const script = root.getElementById("holonom-data");
  if (!script) return null;
  const header = JSON.parse(script.textContent ?? "") as ReportHeader;
  if (header.format !== 1) throw new Error(`report format ${header.format} is not known to this page`);
  const runs: Run[] = [];
  for (const run of header.runs) {
    const text = root.getElementById(run.block.id)?.textContent ?? "";
    runs.push(unpack(run, await decodeBlock(run.block, text)));
  }
  return { header, runs };
}

/** Names that a user may plot: not hidden ones, not time; derived ones last. */
export function plottable(run: Run): string[] {
  const hidden = new Set(run.header.columns.filter((c) => c.hidden).map((c) => c.name));
  return [...run.byName.keys()].filter((n) => n !== "time" && !hidden.has(n));
}

/** Index i with time[i] <= t < time[i+1], clamped, and the fraction in between. */
export function locate(time: Float64Array, t: number): { i: number; f: number } {
  let lo = 0;
  let hi = time.length - 1;
  if (hi < 1 || t <= time[0]) return { i: 0, f: 0 };
  if (t >= time[hi]) return { i: hi - 1, f: 1 };
  while (hi - lo > 1) {
    const mid = (lo + hi) >> 1;
    if (time[mid] <= t) lo = mid;
    else hi = mid;
  }
  const width = time[hi] - time[lo];
  return { i: lo, f: width > 0 ? (t - time[lo]) / width : 0 };
}

/** Value of a column at time t, linear between samples and exact on them. */
export function valueAt(run: Run, column: Column, t: number): number {
  return between(column, locate(run.time, t));
}

export function between(column: Column, { i, f }: { i: number; f: number }): number {
  const a = column.values[i];
  if (f === 0 || column.values.length < 2) return a;
  const b = column.values[i + 1];
  return f === 1 ? b : a + f * (b - a);
}
