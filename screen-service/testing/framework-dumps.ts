import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A dump of a screen made of Android's own views (testing/android-views), and the list that is expected of it. */
export interface FrameworkDump {
  name: string;
  screen: { width: number; height: number };
  xml: string;
  expected: string;
}

/** A node of a dump, read independently of the product's own reader, which is under test. */
export interface DumpNode {
  parent: DumpNode | undefined;
  children: DumpNode[];
  className: string;
  text: string;
  description: string;
  hint: string;
  left: number;
  top: number;
  right: number;
  bottom: number;
  /** Attributes that are true. */
  is: ReadonlySet<string>;
  /** The order of drawing: higher numbers are drawn above lower ones. Undefined where the dump's API level has no such number. */
  order: number | undefined;
}

/** Returns all dumps of the folder `tree/dumps`, by name. */
export function frameworkDumps(): FrameworkDump[] {
  const folder = new URL('../../../screen-service/tree/dumps/', import.meta.url);
  const read = (name: string): string => readFileSync(fileURLToPath(new URL(name, folder)), 'utf8');
  const files = readdirSync(folder).filter((file) => file.endsWith('.xml'));
  return files.sort().map((file) => {
    const name = basename(file, '.xml');
    const [, width, height] = /\.(\d+)x(\d+)$/.exec(name) ?? [];
    const screen = { width: Number(width), height: Number(height) };
    return { name, screen, xml: read(file), expected: read(`${name}.txt`).replace(/\n$/, '') };
  });
}

/** Returns the nodes of a dump in document order. Bounds are cut at the edges of the screen. */
export function dumpNodes({ xml, screen }: FrameworkDump): DumpNode[] {
  const nodes: DumpNode[] = [];
  let open: DumpNode | undefined;
  for (const [tag, values = ''] of xml.matchAll(/<node((?:\s+[\w-]+=(?:"[^"]*"|'[^']*'))*)\s*\/?>|<\/node>/g)) {
    if (tag === '</node>') {
      open = open?.parent;
      continue;
    }
    const node = readNode(values, open, screen);
    nodes.push(node);
    open?.children.push(node);
    if (!tag.endsWith('/>')) open = node;
  }
  return nodes;
}

function readNode(values: string, parent: DumpNode | undefined, screen: { width: number; height: number }): DumpNode {
  const found = new Map<string, string>();
  for (const [, name = '', double, single] of values.matchAll(/([\w-]+)=(?:"([^"]*)"|'([^']*)')/g)) {
    found.set(name, unescaped(double ?? single ?? ''));
  }
  const value = (name: string): string => found.get(name) ?? '';
  const [left = 0, top = 0, right = 0, bottom = 0] = value('bounds').match(/-?\d+/g)?.map(Number) ?? [];
  return {
    parent,
    children: [],
    className: value('class'),
    text: value('text'),
    description: value('content-desc'),
    hint: value('hint'),
    left: Math.max(0, left),
    top: Math.max(0, top),
    right: Math.min(screen.width, right),
    bottom: Math.min(screen.height, bottom),
    is: new Set([...found].filter(([, one]) => one === 'true').map(([name]) => name)),
    order: found.has('drawing-order') ? Number(value('drawing-order')) : undefined,
  };
}

function unescaped(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
    .replaceAll('&amp;', '&');
}
