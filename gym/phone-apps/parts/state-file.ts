import type { AppContext } from '../../../simulated-phone/apps/app.js';

/** A value that an app keeps as a JSON file. The whole file is replaced at each change, and changes are made one after the other. */
export class StateFile<T> {
  readonly #context: AppContext;
  readonly #path: string;
  readonly #absent: T;
  #last: Promise<unknown> = Promise.resolve();

  constructor(context: AppContext, name: string, absent: T) {
    this.#context = context;
    this.#path = `/data/data/${context.package}/files/${name}.json`;
    this.#absent = absent;
  }

  /** Passes the value to `use`, while the activity is open. */
  read(use: (value: T) => void): void {
    this.#context.run(this.#read(), use);
  }

  /** Writes what `edit` makes of the value. Calls `then` with the new value. */
  change(edit: (value: T) => T, then: (value: T) => void = () => undefined): void {
    const work = async (): Promise<T> => {
      const after = edit(await this.#read());
      await this.#context.files.write(this.#path, JSON.stringify(after));
      return after;
    };
    const changed = this.#last.then(work, work);
    this.#last = changed.catch(() => undefined);
    this.#context.run(changed, then);
  }

  async #read(): Promise<T> {
    try {
      return JSON.parse((await this.#context.files.read(this.#path)).toString('utf8')) as T;
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return this.#absent;
      throw error;
    }
  }
}
