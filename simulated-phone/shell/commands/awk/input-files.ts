import { PhoneFileError } from '../../../files/file-error.js';
import { pathOf, type CommandCall } from '../../command.js';
import { fairSource } from '../../fair-streams.js';
import { AwkError } from './awk-error.js';
import type { Patterns } from './patterns.js';
import { RecordReader } from './record-reader.js';

const MAX_FILES = 32;

interface OpenInput {
  reader: RecordReader;
  close: () => Promise<void>;
}

/** The files that the program reads: its arguments one after the other, and those of `getline <`. */
export class InputFiles {
  readonly #call: CommandCall;
  readonly #patterns: Patterns;
  readonly #named = new Map<string, OpenInput>();
  readonly #stdin: OpenInput;
  #current: OpenInput | undefined;

  constructor(call: CommandCall, patterns: Patterns) {
    this.#call = call;
    this.#patterns = patterns;
    this.#stdin = { reader: new RecordReader(call.stdin, call.memory, patterns), close: async () => undefined };
  }

  /** The reader of the present argument. */
  get current(): RecordReader | undefined {
    return this.#current?.reader;
  }

  async begin(name: string): Promise<void> {
    const opened = await this.#open(name);
    if (!opened) throw new AwkError(`can't open file ${name}`);
    this.#current = opened;
  }

  async endCurrent(): Promise<void> {
    const ended = this.#current;
    this.#current = undefined;
    if (ended !== this.#stdin) ended?.reader.release();
    await ended?.close();
  }

  /** Returns a file of `getline <`, which stays open; undefined where it cannot be read. */
  async named(name: string): Promise<RecordReader | undefined> {
    const before = this.#named.get(name);
    if (before) return before.reader;
    if (name === '') throw new AwkError('null file name in print or getline');
    if (this.#named.size >= MAX_FILES) throw new AwkError(`can't open file ${name}: Too many open files`);
    const opened = await this.#open(name);
    if (opened) this.#named.set(name, opened);
    return opened?.reader;
  }

  /** Closes a file. Returns whether one of that name was open. */
  async close(name: string): Promise<boolean> {
    const file = this.#named.get(name);
    this.#named.delete(name);
    if (file !== this.#stdin) file?.reader.release();
    await file?.close();
    return file !== undefined;
  }

  /** Closes all files when awk ends. Their memory is not released here, because a command's memory is released as a whole at its end. */
  async closeAll(): Promise<void> {
    await this.#current?.close();
    for (const file of this.#named.values()) await file.close();
  }

  async #open(name: string): Promise<OpenInput | undefined> {
    if (name === '-' || name === '/dev/stdin') return this.#stdin;
    const { machine, memory, signal } = this.#call;
    try {
      const file = await machine.shellFiles.openRead(pathOf(this.#call, name));
      const reader = new RecordReader(fairSource(file, signal), memory, this.#patterns);
      return { reader, close: () => file.close() };
    } catch (error) {
      if (error instanceof PhoneFileError) return undefined;
      throw error;
    }
  }
}
