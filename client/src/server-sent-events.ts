import { CloudPhoneError } from './errors.js';

/** What came in a stream of server-sent events up to an empty line. */
export interface Block {
  id?: string;
  /** Absent: a message without a type. */
  event?: string;
  /** Absent: there is nothing to dispatch, but the block's id is still a place in the stream. */
  data?: string;
  retryMs?: number;
}

/** Most characters of one block; far above those of an event. */
const MAX_BLOCK_CHARS = 4 * 1024 * 1024;

/** A carriage return at the end of a chunk may be the first half of a line's end. */
const LINE_END = /\r\n|\n|\r(?=[^\n])/;

/** Reads a stream as the standard has it (HTML, section 9.2.6). `onChunk` is called for everything that arrives. */
export async function* readBlocks(body: ReadableStream<Uint8Array>, onChunk: () => void): AsyncGenerator<Block, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  let block: Block = {};
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      // A block without its empty line was cut off.
      if (done) return;
      onChunk();
      const lines = (rest + decoder.decode(value, { stream: true })).split(LINE_END);
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (line === '') {
          yield block;
          block = {};
          size = 0;
        } else {
          size += line.length;
          take(line, block);
        }
      }
      if (size + rest.length > MAX_BLOCK_CHARS)
        throw new CloudPhoneError(`An event has more than ${MAX_BLOCK_CHARS} characters.`, {
          kind: 'unexpected',
          status: 200,
        });
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function take(line: string, block: Block): void {
  const colon = line.indexOf(':');
  const name = colon === -1 ? line : line.slice(0, colon);
  const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
  if (name === 'id' && !value.includes('\0')) block.id = value;
  else if (name === 'event') block.event = value;
  else if (name === 'data') block.data = block.data === undefined ? value : `${block.data}\n${value}`;
  else if (name === 'retry' && /^\d{1,9}$/.test(value)) block.retryMs = Number(value);
}
