/** One line of figures. */
export interface Sample {
  name: string;
  labels: Readonly<Record<string, string>>;
  value: number;
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const TYPES = ['counter', 'gauge', 'histogram', 'summary', 'untyped'];
const NUMBER = /^(?:[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|[+-]?Inf|NaN)$/i;

/**
 * The metrics of a scrape, by Prometheus' text format 0.0.4 to the letter. It throws for anything that a reader may refuse: a metric in two
 * places, a line twice, a histogram that does not add up.
 */
export class Exposition {
  readonly types: ReadonlyMap<string, string>;
  readonly helps: ReadonlyMap<string, string>;
  readonly samples: readonly Sample[];

  constructor(text: string) {
    if (!text.endsWith('\n')) throw new Error('the last line does not end');
    const types = new Map<string, string>();
    const helps = new Map<string, string>();
    const samples: Sample[] = [];
    const seen = new Set<string>();
    const over = new Set<string>();
    let family: string | undefined;
    /** Asserts that all lines of a metric are in one group, which begins with its HELP and TYPE. */
    const enter = (name: string): void => {
      if (name === family) return;
      if (family !== undefined) over.add(family);
      if (over.has(name)) throw new Error(`${name} is in two places`);
      family = name;
    };
    for (const line of text.slice(0, -1).split('\n')) {
      const comment = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line);
      if (comment !== null) {
        const [, what, name = '', rest = ''] = comment;
        enter(named(name));
        const known = what === 'HELP' ? helps : types;
        if (known.has(name)) throw new Error(`${name} has two lines of ${what}`);
        if (what === 'TYPE' && !TYPES.includes(rest)) throw new Error(`${name} is of no type: ${rest}`);
        if (what === 'TYPE' && samples.some((sample) => familyOf(sample.name, types) === name)) {
          throw new Error(`the type of ${name} comes after its samples`);
        }
        if (what === 'HELP' && rest.replace(/\\[\\n]/g, '').includes('\\'))
          throw new Error(`the help of ${name} is not escaped`);
        known.set(name, rest);
      } else if (line.startsWith('#')) {
        throw new Error(`a comment of no kind: ${line}`);
      } else if (line !== '') {
        const sample = parseSample(line);
        enter(familyOf(sample.name, types));
        const identity = JSON.stringify([sample.name, Object.entries(sample.labels).sort()]);
        if (seen.has(identity)) throw new Error(`twice: ${line}`);
        seen.add(identity);
        samples.push(sample);
      }
    }
    for (const { name, value } of samples) {
      const type = types.get(familyOf(name, types));
      if (type === undefined) throw new Error(`${name} has no type`);
      if (type === 'counter' && !(value >= 0)) throw new Error(`the counter ${name} is ${value}`);
    }
    for (const [name, type] of types) {
      if (!helps.has(name)) throw new Error(`${name} has no help`);
      if (type === 'histogram') checkHistogram(name, samples);
    }
    this.types = types;
    this.helps = helps;
    this.samples = samples;
  }

  /** The samples of this name that have all of `labels`. */
  all(name: string, labels: Record<string, string> = {}): Sample[] {
    const wanted = Object.entries(labels);
    return this.samples.filter(
      (sample) => sample.name === name && wanted.every(([label, value]) => sample.labels[label] === value),
    );
  }

  /** Returns the sum of the samples of a name; undefined when there are none. */
  sum(name: string, labels?: Record<string, string>): number | undefined {
    const found = this.all(name, labels);
    return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
  }
}

/** The metric that a line belongs to: of a histogram or summary there are lines of other names. */
function familyOf(name: string, types: ReadonlyMap<string, string>): string {
  const base = /^(.*)_(?:bucket|sum|count)$/.exec(name)?.[1];
  return base !== undefined && ['histogram', 'summary'].includes(types.get(base) ?? '') ? base : name;
}

function parseSample(line: string): Sample {
  const [, name = '', , inner, rest = ''] = /^([^{\s]+)(\{(.*)\})? (.*)$/.exec(line) ?? [];
  // Without a time: ours are of now.
  if (!NUMBER.test(rest)) throw new Error(`not a value: ${line}`);
  const lower = rest.toLowerCase();
  const value = lower.endsWith('inf') ? (lower.startsWith('-') ? -Infinity : Infinity) : Number(lower === 'nan' ? NaN : rest); // prettier-ignore
  return { name: named(name), labels: inner === undefined ? {} : parseLabels(inner, line), value };
}

function parseLabels(text: string, line: string): Record<string, string> {
  const labels: Record<string, string> = {};
  const one = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(,|$)/y;
  while (one.lastIndex < text.length) {
    const [, label = '', value = '', end] = one.exec(text) ?? [];
    if (end === undefined) throw new Error(`labels that cannot be read: ${line}`);
    if (label in labels) throw new Error(`a label twice: ${line}`);
    labels[label] = value.replace(/\\([\\"n])/g, (_all, letter: string) => (letter === 'n' ? '\n' : letter));
    if (end === ',' && one.lastIndex === text.length) throw new Error(`a comma too many: ${line}`);
  }
  return labels;
}

function named(name: string): string {
  if (!NAME.test(name)) throw new Error(`not a name: ${name}`);
  return name;
}

/** Asserts that each set of labels has a sum, and buckets in order that grow up to that of +Inf, which is the count. */
function checkHistogram(name: string, samples: readonly Sample[]): void {
  const groups = new Map<string, Sample[]>();
  for (const sample of samples) {
    if (![`${name}_bucket`, `${name}_sum`, `${name}_count`].includes(sample.name)) continue;
    const key = JSON.stringify(Object.entries(sample.labels).filter(([label]) => label !== 'le').sort()); // prettier-ignore
    groups.set(key, [...(groups.get(key) ?? []), sample]);
  }
  for (const [labels, lines] of groups) {
    const buckets = lines.filter((line) => line.name === `${name}_bucket`);
    const bounds = buckets.map((line) => (line.labels['le'] === '+Inf' ? Infinity : Number(line.labels['le'])));
    const count = lines.find((line) => line.name === `${name}_count`)?.value;
    const isSound =
      bounds.every((bound, at) => bound > (bounds[at - 1] ?? -Infinity)) &&
      buckets.every(({ value }, at) => value >= (buckets[at - 1]?.value ?? 0)) &&
      bounds.at(-1) === Infinity &&
      count !== undefined &&
      buckets.at(-1)?.value === count &&
      lines.filter((line) => line.name === `${name}_sum`).length === 1;
    if (!isSound) throw new Error(`the histogram ${name} of ${labels} does not add up`);
  }
}
