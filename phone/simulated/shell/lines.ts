import type { ByteSource } from './pipe.js';

/** The lines of a source as text, without their ends. A line of more than 4 MiB comes in pieces. */
export async function* lines(source: ByteSource): AsyncGenerator<string, void, undefined> {
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  for (let bytes = await source.read(); bytes; bytes = await source.read()) {
    let from = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, from)) {
      const tail = bytes.subarray(from, end);
      yield (waiting.length === 0 ? tail : Buffer.concat([...waiting, tail])).toString('utf8');
      waiting = [];
      waitingBytes = 0;
      from = end + 1;
    }
    if (from === bytes.length) continue;
    waiting.push(bytes.subarray(from));
    waitingBytes += bytes.length - from;
    if (waitingBytes <= MAX_LINE_BYTES) continue;
    yield Buffer.concat(waiting).toString('utf8');
    waiting = [];
    waitingBytes = 0;
  }
  if (waiting.length > 0) yield Buffer.concat(waiting).toString('utf8');
}

const MAX_LINE_BYTES = 4 * 1024 * 1024;

/** Sorts and the like hold all lines; this is as much as they may. */
export async function allLines(source: ByteSource): Promise<string[]> {
  const result: string[] = [];
  let chars = 0;
  for await (const line of lines(source)) {
    chars += line.length + 1;
    if (chars > MAX_TEXT_CHARS) throw new RangeError('too much text');
    result.push(line);
  }
  return result;
}

const MAX_TEXT_CHARS = 64 * 1024 * 1024;
