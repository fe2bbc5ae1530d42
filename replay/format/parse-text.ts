import { Composer, type CST, isMap, isScalar, isSeq, LineCounter, type Node, Parser } from 'yaml';
import { MAX_FILE_CHARS } from './limits.js';
import { ReplayFault } from './replay.js';
import { refuseHostile } from './refuse-hostile.js';

/** A parsed text, and the lines of its places. */
export interface Parsed {
  value: unknown;
  /** Returns the line of a place such as `steps[3].tap`, or of the nearest place around it. */
  lineOf: (path: string) => number;
}

/**
 * Parses YAML, of which JSON is a part, into plain values. Size, depth and amount are checked before the values are made. Anchors, aliases
 * and tags are refused, as a short text could become a huge value by them.
 */
export function parseText(text: string): Parsed {
  if (text.length > MAX_FILE_CHARS)
    throw new ReplayFault(`The file has ${text.length} characters; ${MAX_FILE_CHARS} is the most.`);
  const counter = new LineCounter();
  const lineAt = (offset: number): number => Math.max(1, counter.linePos(offset).line);
  const tokens: CST.Token[] = [];
  const parser = new Parser(counter.addNewLine);
  for (const token of parser.parse(text)) tokens.push(token);
  refuseHostile(tokens, lineAt);
  // The keys of a map are compared below, in one pass. The library's own check compares each with each.
  const composer = new Composer({ version: '1.2', schema: 'core', uniqueKeys: false, lineCounter: counter });
  const documents = [...composer.compose(tokens, true, text.length)];
  const [document] = documents;
  if (documents.length !== 1 || document === undefined)
    throw new ReplayFault(`The file has ${documents.length} documents of YAML. Keep one of them.`);
  const [error] = document.errors;
  if (error !== undefined) throw new ReplayFault(`line ${lineAt(error.pos[0])}: ${firstLine(error.message)}`);
  const lines = new Map<string, number>();
  const value = document.contents === null ? null : valueOf(document.contents, '', { lines, lineAt });
  return { value, lineOf: (path) => lineNear(lines, path) };
}

interface Places {
  lines: Map<string, number>;
  lineAt: (offset: number) => number;
}

function valueOf(node: Node, path: string, places: Places): unknown {
  const line = places.lineAt(node.range?.[0] ?? 0);
  places.lines.set(path, line);
  if (isSeq<Node | null>(node))
    return node.items.map((item, at) => (item === null ? null : valueOf(item, `${path}[${at}]`, places)));
  if (isMap<Node, Node | null>(node)) {
    const members = new Map<string, unknown>();
    for (const { key, value } of node.items) {
      const name = isScalar(key) ? String(key.value) : undefined;
      const at = places.lineAt(key.range?.[0] ?? 0);
      if (name === undefined) throw new ReplayFault(`line ${at}: A key must be a word, not a list or a map.`);
      if (members.has(name)) throw new ReplayFault(`line ${at}: "${name.slice(0, 60)}" is there twice. Remove one.`);
      const place = path === '' ? name : `${path}.${name}`;
      members.set(name, value === null ? null : valueOf(value, place, places));
      places.lines.set(place, at);
    }
    return Object.fromEntries(members);
  }
  return isScalar(node) ? node.value : null;
}

/** Returns the line of the longest known beginning of a path. */
function lineNear(lines: ReadonlyMap<string, number>, path: string): number {
  for (let at = path; ; at = at.replace(/(?:\.[^.[\]]*|\[\d+\])$|^[^.[\]]+$/, '')) {
    const line = lines.get(at);
    if (line !== undefined || at === '') return line ?? 1;
  }
}

function firstLine(message: string): string {
  const [line = ''] = message.split('\n');
  return line.replace(/ at line \d+, column \d+:?$/, '').replace(/\.?$/, '.');
}
