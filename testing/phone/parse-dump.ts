import { SaxesParser } from 'saxes';

export interface DumpNode {
  depth: number;
  attributes: Record<string, string>;
  bounds: { left: number; top: number; right: number; bottom: number };
}

/** Parses a dump of uiautomator with an XML parser that is not ours. It throws for a dump that is not XML, which ours might accept. */
export function parseDump(xml: string): DumpNode[] {
  const nodes: DumpNode[] = [];
  let depth = 0;
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => {
    if (name !== 'node') return;
    const match = /^\[(-?\d+),(-?\d+)\]\[(-?\d+),(-?\d+)\]$/.exec(attributes['bounds'] ?? '');
    if (!match) throw new Error(`bounds are ${attributes['bounds']}`);
    const [left = 0, top = 0, right = 0, bottom = 0] = match.slice(1).map(Number);
    nodes.push({ depth: depth++, attributes, bounds: { left, top, right, bottom } });
  });
  parser.on('closetag', ({ name }) => {
    if (name === 'node') depth -= 1;
  });
  parser.write(xml).close();
  return nodes;
}
