import { PhoneFileError } from '../../../files/file-error.js';
import type { WriteHandle } from '../../../files/file-handles.js';
import { pathOf, type CommandCall } from '../../command.js';
import { AwkError } from './awk-error.js';

const MAX_WAITING_CHARS = 16 * 1024;
/** Most files that are open at the same time. Each one takes an open file of the host. */
const MAX_FILES = 32;

/** Text on its way to a file or stream. */
class Output {
  readonly #write: (bytes: Buffer) => Promise<void>;
  readonly close: () => Promise<void>;
  #waiting: string[] = [];
  #waitingChars = 0;

  constructor(write: (bytes: Buffer) => Promise<void>, close: () => Promise<void>) {
    this.#write = write;
    this.close = close;
  }

  /** Adds a text. Returns whether it is time to flush. */
  add(text: string): boolean {
    this.#waiting.push(text);
    this.#waitingChars += text.length + 1;
    return this.#waitingChars > MAX_WAITING_CHARS;
  }

  async flush(): Promise<void> {
    if (this.#waiting.length === 0) return;
    const text = this.#waiting.join('');
    this.#waiting = [];
    this.#waitingChars = 0;
    await this.#write(Buffer.from(text));
  }
}

/** The outputs of the program: its streams, and files that stay open until they are closed. */
export class OutputFiles {
  readonly #call: CommandCall;
  readonly #files = new Map<string, Output>();
  readonly #stdout: Output;
  readonly #stderr: Output;

  constructor(call: CommandCall) {
    this.#call = call;
    this.#stdout = new Output(
      (bytes) => call.stdout.write(bytes),
      async () => undefined,
    );
    this.#stderr = new Output(
      (bytes) => call.stderr.write(bytes),
      async () => undefined,
    );
  }

  /** Returns a standard stream or an open file. Returns undefined when `open` must be called first. */
  opened(name?: string): Output | undefined {
    if (name === undefined || name === '/dev/stdout' || name === '-') return this.#stdout;
    return name === '/dev/stderr' ? this.#stderr : this.#files.get(name);
  }

  async open(name: string, append: boolean): Promise<Output> {
    if (name === '') throw new AwkError('null file name in print or getline');
    if (this.#files.size >= MAX_FILES) throw new AwkError(`can't open file ${name}: Too many open files`);
    let file: WriteHandle;
    try {
      file = await this.#call.machine.shellFiles.openWrite(pathOf(this.#call, name), { append });
    } catch (error) {
      if (!(error instanceof PhoneFileError)) throw error;
      throw new AwkError(`can't redirect to ${name}`);
    }
    const output = new Output((bytes) => file.write(bytes), () => file.close()); // prettier-ignore
    this.#files.set(name, output);
    return output;
  }

  /** Closes a file. Returns whether one of that name was open. */
  async close(name: string): Promise<boolean> {
    const file = this.#files.get(name);
    if (!file) return false;
    this.#files.delete(name);
    try {
      await file.flush();
    } finally {
      await file.close();
    }
    return true;
  }

  async flush(): Promise<void> {
    await this.#stdout.flush();
    await this.#stderr.flush();
    for (const file of this.#files.values()) await file.flush();
  }

  /** Closes the files without writing the text that waits. */
  async abandon(): Promise<void> {
    for (const file of this.#files.values()) await file.close();
    this.#files.clear();
  }
}

export type { Output };
