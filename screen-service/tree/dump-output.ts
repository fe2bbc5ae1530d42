/** The outcome of one run of uiautomator. */
export type DumpOutput =
  | { kind: 'xml'; xml: string }
  /** The screen was not quiet in time. */
  | { kind: 'not_idle' }
  /** There was no root, or another program held the accessibility connection. The next try mostly succeeds. */
  | { kind: 'again'; reason: string }
  /** uiautomator reports that it wrote the tree, but the output does not have it: the phone has no /dev/tty for commands. */
  | { kind: 'elsewhere' }
  | { kind: 'broken'; reason: string };

const lenient = new TextDecoder('utf-8');

/**
 * Reads the outcome from uiautomator's output, as it exits with 0 even when it fails. The XML is between the first `<?xml` or `<hierarchy`
 * and the last `</hierarchy>`. Warnings come before it, and the line "UI hierchary dumped to" (in both spellings) right after it. Bytes
 * that are not UTF-8 become U+FFFD.
 */
export function readDumpOutput(output: Buffer): DumpOutput {
  const text = lenient.decode(output);
  const root = text.indexOf('<hierarchy');
  const end = text.lastIndexOf('</hierarchy>');
  if (root >= 0 && end > root) {
    const declaration = text.lastIndexOf('<?xml', root);
    return { kind: 'xml', xml: text.slice(declaration < 0 ? root : declaration, end + '</hierarchy>'.length) };
  }
  if (/could not get idle state/i.test(text)) return { kind: 'not_idle' };
  if (/null root node/i.test(text)) return { kind: 'again', reason: 'the phone had no window' };
  if (/already registered|^[ \t]*Killed[ \t]*$/im.test(text)) {
    return { kind: 'again', reason: 'another program on the phone holds its accessibility connection' };
  }
  if (root >= 0 && text[text.indexOf('>', root) - 1] === '/')
    return { kind: 'xml', xml: '<hierarchy rotation="0"></hierarchy>' };
  if (root < 0 && /dumped to:/.test(text)) return { kind: 'elsewhere' };
  return { kind: 'broken', reason: root >= 0 ? 'it broke off' : 'there is no tree in it' };
}
