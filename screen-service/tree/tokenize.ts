/** A start or end of an element in a dump. */
export type Token =
  { kind: 'open'; name: string; attributes: string; empty: boolean } | { kind: 'close'; name: string };

/** The error for an input that is no dump, or one that must not be read. The message has the reason. */
export class BadDump extends Error {
  override name = 'BadDump';
}

/**
 * Takes a dump apart into tags, in one pass and without recursion. It reads the XML that uiautomator writes, and close relatives:
 * declaration and comments are skipped, and text between tags has no meaning. A document type is refused, as its entities can make a small
 * file large. A dump without one has only the five entities of XML and numbered characters.
 */
export function* tokenize(xml: string): Generator<Token, void, undefined> {
  let at = 0;
  for (;;) {
    const start = xml.indexOf('<', at);
    if (start < 0) return;
    if (xml.startsWith('<!--', start)) {
      at = after(xml, '-->', start);
      continue;
    }
    if (xml.startsWith('<?', start)) {
      at = after(xml, '?>', start);
      continue;
    }
    if (xml.startsWith('<!', start)) throw new BadDump('it has a document type, which no dump has');
    const end = tagEnd(xml, start + 1);
    if (xml.charCodeAt(start + 1) === SLASH) {
      yield { kind: 'close', name: xml.slice(start + 2, end).trim() };
    } else {
      const empty = xml.charCodeAt(end - 1) === SLASH;
      const inside = xml.slice(start + 1, empty ? end - 1 : end);
      const space = inside.search(/\s/);
      yield space < 0
        ? { kind: 'open', name: inside, attributes: '', empty }
        : { kind: 'open', name: inside.slice(0, space), attributes: inside.slice(space + 1), empty };
    }
    at = end + 1;
  }
}

const SLASH = 47;
const DOUBLE_QUOTE = 34;
const SINGLE_QUOTE = 39;
const GREATER = 62;

/** Returns the position of the tag's `>`; those inside quotes do not count. */
function tagEnd(xml: string, from: number): number {
  for (let at = from; at < xml.length; at++) {
    const char = xml.charCodeAt(at);
    if (char === GREATER) return at;
    if (char === DOUBLE_QUOTE || char === SINGLE_QUOTE) {
      at = xml.indexOf(char === DOUBLE_QUOTE ? '"' : "'", at + 1);
      if (at < 0) break;
    }
  }
  throw new BadDump('it ends inside a tag');
}

function after(xml: string, end: string, from: number): number {
  const found = xml.indexOf(end, from);
  if (found < 0) throw new BadDump('it ends inside a comment');
  return found + end.length;
}

/** Returns the attributes of a tag. Values are in either kind of quotes: uiautomator puts single quotes around a value with double ones. */
export function readAttributes(text: string): Map<string, string> {
  const attributes = new Map<string, string>();
  // The pattern searches for the equals sign, and the name is read before it. A pattern that begins with the name takes hours for a long
  // name without a value.
  const pattern = /=\s*(?:"([^"]*)"|'([^']*)')/g;
  let from = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const name = text.slice(from, match.index).trimEnd().split(/[\s=]/).at(-1) ?? '';
    if (name !== '') attributes.set(name, unescapeXml(match[1] ?? match[2] ?? ''));
    from = pattern.lastIndex;
  }
  return attributes;
}

const named: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);

/** Replaces references to characters. Unknown references are left unchanged. */
function unescapeXml(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-fA-F]{1,6})|(\w{1,8}));/g, (whole, decimal, hex, name) => {
    if (typeof name === 'string') return named.get(name) ?? whole;
    const code = typeof decimal === 'string' ? Number(decimal) : Number.parseInt(String(hex), 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
  });
}
