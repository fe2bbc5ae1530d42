import { AwkError } from './awk-error.js';
import type { InputFiles } from './input-files.js';
import type { RecordReader } from './record-reader.js';
import { waitFor, type Steps } from './steps.js';
import { unescapedText } from './unescape-text.js';
import { inputValue, toText } from './values.js';
import type { Variables } from './variables.js';

/** An assignment `name=value` among the arguments, or of `-v`. */
const ASSIGNMENT = /^([A-Za-z_]\w*)=([^]*)$/;

/** The records of the files that the arguments name, and of the standard input where they name none. */
export class MainInput {
  readonly #files: InputFiles;
  readonly #variables: Variables;
  readonly #flush: () => Promise<void>;
  #argument = 1;
  #hasFiles = false;
  #hasEnded = false;

  /** `flush` writes out what was printed, before the input is waited for. */
  constructor(files: InputFiles, variables: Variables, flush: () => Promise<void>) {
    this.#files = files;
    this.#variables = variables;
    this.#flush = flush;
  }

  /** Returns the next record, and counts NR and FNR; undefined at the end. */
  *next(): Steps<string | undefined> {
    while (!this.#hasEnded) {
      if (!this.#files.current && !(yield* this.#beginNext())) break;
      const reader = this.#files.current;
      const record = reader && (yield* this.read(reader));
      if (record !== undefined) {
        for (const name of ['NR', 'FNR']) this.#variables.global(name).value = this.#variables.number(name) + 1;
        return record;
      }
      yield* waitFor(() => this.#files.endCurrent());
    }
    this.#hasEnded = true;
    return undefined;
  }

  *read(reader: RecordReader): Steps<string | undefined> {
    for (;;) {
      const record = reader.take(this.#variables.recordSeparator);
      if (record !== undefined) return record ?? undefined;
      yield* waitFor(async () => {
        await this.#flush();
        await reader.more();
      });
    }
  }

  *skipFile(): Steps<void> {
    yield* waitFor(() => this.#files.endCurrent());
  }

  *#beginNext(): Steps<boolean> {
    const { array } = this.#variables.global('ARGV');
    for (; this.#argument < this.#variables.number('ARGC'); this.#argument++) {
      const key = String(this.#argument);
      const argument = array.has(key) ? toText(array.get(key), this.#variables.convfmt) : '';
      if (argument === '' || assign(this.#variables, argument)) continue;
      this.#argument++;
      yield* this.#begin(argument);
      return true;
    }
    if (this.#hasFiles) return false;
    yield* this.#begin('-', '');
    return true;
  }

  *#begin(file: string, name = file): Steps<void> {
    this.#hasFiles = true;
    this.#variables.global('FILENAME').value = name;
    this.#variables.global('FNR').value = 0;
    yield* waitFor(() => this.#files.begin(file));
  }
}

/** Does an assignment `name=value`. Returns false for another text. */
export function assign(variables: Variables, argument: string): boolean {
  const [, name, value = ''] = ASSIGNMENT.exec(argument) ?? [];
  if (name === undefined) return false;
  if (name === 'NF') throw new AwkError("can't assign to NF from the command line");
  variables.global(name).value = inputValue(unescapedText(value));
  return true;
}
