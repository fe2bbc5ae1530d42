import type { Machine } from '../machine.js';
import { PhoneFileError } from '../files/file-error.js';
import type { FileTree } from '../files/file-tree.js';
import { ReturnableSource, asBuffer, type ByteSink, type ByteSource } from './pipe.js';
import type { Redirect } from './grammar/syntax-tree.js';

export interface Streams {
  stdin: ByteSource;
  stdout: ByteSink;
  stderr: ByteSink;
}

/** Opens the files of a command's redirects, left to right. `close` must be called whatever happens. */
export async function openRedirects(
  redirects: readonly (Redirect & { text: string })[],
  streams: Streams,
  host: { files: FileTree<Machine>; absolute: (path: string) => string },
): Promise<{ streams: Streams; close: () => Promise<void> }> {
  const result = { ...streams };
  const opened: { close(): Promise<void> }[] = [];
  const close = async (): Promise<void> => {
    for (const file of opened) await file.close();
  };
  try {
    for (const { descriptor, operator, text } of redirects) {
      if (operator === '<<') result.stdin = new ReturnableSource(onceSource(text));
      else if (operator === '<') {
        const reader = await host.files.openRead(host.absolute(text)).catch(failed('open', text));
        opened.push(reader);
        result.stdin = new ReturnableSource(reader);
      } else if (operator === '<&') continue;
      else if (operator === '>&') setSink(result, descriptor, text === '2' ? result.stderr : result.stdout);
      else {
        const writer = await host.files
          .openWrite(host.absolute(text), { append: operator === '>>' })
          .catch(failed('create', text));
        opened.push(writer);
        setSink(result, descriptor, { write: (bytes) => writer.write(asBuffer(bytes)) });
      }
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { streams: result, close };
}

/** `message`: the text that sh prints after its name. */
export class RedirectFailure extends Error {
  override name = 'RedirectFailure';
}

function failed(verb: 'open' | 'create', path: string): (error: unknown) => never {
  return (error) => {
    if (error instanceof PhoneFileError) throw new RedirectFailure(`can't ${verb} ${path}: ${error.reason}`);
    throw error;
  };
}

function setSink(streams: Streams, descriptor: number, sink: ByteSink): void {
  if (descriptor === 1) streams.stdout = sink;
  if (descriptor === 2) streams.stderr = sink;
}

function onceSource(text: string): ByteSource {
  let left: Buffer | undefined = Buffer.from(text, 'utf8');
  return {
    read: async () => {
      const part = left;
      left = undefined;
      return part;
    },
  };
}
