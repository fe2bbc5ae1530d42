import type { Machine } from '../machine/machine.js';
import { PhoneFileError } from '../files/file-error.js';
import type { FileTree } from '../files/file-tree.js';
import {
  ReturnableSource,
  asBuffer,
  discardSink,
  emptySource,
  type ByteSink,
  type ByteSource,
  type Descriptor,
} from '../streams/pipe.js';
import { CommandFailure } from './command-failure.js';
import type { Redirect } from './grammar/syntax-tree.js';

export interface Streams {
  stdin: ByteSource;
  stdout: ByteSink;
  stderr: ByteSink;
  /** The descriptors from 3 on, which redirects open. */
  others?: ReadonlyMap<number, Descriptor>;
}

export interface RedirectHost {
  files: FileTree<Machine>;
  absolute: (path: string) => string;
  /** Whether `>` does not replace a file (`set -C`). */
  noClobber: boolean;
  /** Rights that new files do not get. Undefined: the phone's usual ones. */
  umask: number | undefined;
}

/** Returns a descriptor of a command; undefined when it is closed. */
export function descriptorOf(streams: Streams, number: number): Descriptor | undefined {
  if (number === 0) return streams.stdin;
  if (number === 1) return streams.stdout;
  if (number === 2) return streams.stderr;
  return streams.others?.get(number);
}

/** Opens the files of a command's redirects, left to right. `close` must be called whatever happens. */
export async function openRedirects(
  redirects: readonly (Redirect & { text: string })[],
  streams: Streams,
  host: RedirectHost,
): Promise<{ streams: Streams; close: () => Promise<void> }> {
  const result = { ...streams };
  const opened: { close(): Promise<void> }[] = [];
  const close = async (): Promise<void> => {
    for (const file of opened) await file.close();
  };
  try {
    for (const redirect of redirects) {
      const { descriptor, operator, text } = redirect;
      if (descriptor > LAST_DESCRIPTOR) throw new RedirectFailure(`${descriptor}: bad file descriptor`);
      if (operator === '<<' || operator === '<<<') {
        const body = operator === '<<' ? text : `${text}\n`;
        setDescriptor(result, descriptor, new ReturnableSource(onceSource(body)));
      } else if (operator === '>&' || operator === '<&') {
        if (!/^(?:\d+|-)$/.test(text)) throw new RedirectFailure(`${operator}${text}: illegal file descriptor name`);
        const source = text === '-' ? undefined : descriptorOf(result, Number(text));
        if (text !== '-' && !source) throw new RedirectFailure(`${operator}${text}: bad file descriptor`);
        setDescriptor(result, descriptor, source);
      } else if (operator === '<') {
        const reader = await host.files.openRead(host.absolute(text)).catch(failed('open', text));
        opened.push(reader);
        setDescriptor(result, descriptor, new ReturnableSource(reader));
      } else {
        const file = await openOutput(redirect, host);
        opened.push(...file.opened);
        setDescriptor(result, descriptor, file.descriptor);
      }
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { streams: result, close };
}

/** The last descriptor that scripts may open, as in Android's shell. */
const LAST_DESCRIPTOR = 24;

/** The error of a redirect that cannot be opened. `message`: the text that sh prints after its name. */
export class RedirectFailure extends Error {
  override name = 'RedirectFailure';
}

async function openOutput(
  { operator, text }: Redirect & { text: string },
  host: RedirectHost,
): Promise<{ descriptor: Descriptor; opened: { close(): Promise<void> }[] }> {
  const path = host.absolute(text);
  const before = await host.files.stat(path).catch(ignoreFileError);
  if (operator === '>' && host.noClobber && before?.kind === 'file')
    throw new RedirectFailure(`can't create ${text}: File exists`);
  const append = operator === '>>' || operator === '<>';
  const writer = await host.files.openWrite(path, { append }).catch(failed('create', text));
  const opened: { close(): Promise<void> }[] = [writer];
  try {
    if (!before && host.umask !== undefined) await host.files.chmod(path, 0o666 & ~host.umask);
    const sink: ByteSink = { write: (bytes) => writer.write(asBuffer(bytes)) };
    if (operator !== '<>') return { descriptor: sink, opened };
    const reader = await host.files.openRead(path).catch(failed('open', text));
    opened.push(reader);
    const source = new ReturnableSource(reader);
    return { descriptor: { read: () => source.read(), unread: (bytes) => source.unread(bytes), ...sink }, opened };
  } catch (error) {
    for (const file of opened) await file.close();
    throw error;
  }
}

function failed(verb: 'open' | 'create', path: string): (error: unknown) => never {
  return (error) => {
    if (error instanceof PhoneFileError) throw new RedirectFailure(`can't ${verb} ${path}: ${error.reason}`);
    throw error;
  };
}

function ignoreFileError(error: unknown): undefined {
  if (!(error instanceof PhoneFileError)) throw error;
  return undefined;
}

/** Sets a descriptor. Undefined closes it. */
function setDescriptor(streams: Streams, number: number, to: Descriptor | undefined): void {
  if (number === 0) streams.stdin = isSource(to) ? to : emptySource;
  else if (number === 1) streams.stdout = isSink(to) ? to : closedSink;
  else if (number === 2) streams.stderr = isSink(to) ? to : discardSink;
  else {
    const others = new Map(streams.others);
    if (to) others.set(number, to);
    else others.delete(number);
    streams.others = others;
  }
}

const closedSink: ByteSink = {
  write: async () => {
    throw new CommandFailure('write: Bad file descriptor');
  },
};

export function isSource(descriptor: Descriptor | undefined): descriptor is ByteSource {
  return descriptor?.read !== undefined;
}

export function isSink(descriptor: Descriptor | undefined): descriptor is ByteSink {
  return descriptor?.write !== undefined;
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
