import { begunAhead } from '../../kit/async/begun-ahead.js';

/** Lets changes run side by side, and other work only while no change runs. */
export class ChangeGate {
  #changes = 0;
  #still: Promise<unknown> | undefined;
  #onQuiet = (): void => undefined;

  /** Runs a change. Waits first while work of `still` runs or waits to run. A change must not contain another one. */
  async change<T>(run: () => Promise<T>): Promise<T> {
    while (this.#still !== undefined) await this.#still;
    this.#changes++;
    try {
      return await run();
    } finally {
      if (--this.#changes === 0) this.#onQuiet();
    }
  }

  /** Runs work while no change runs. Changes under way end first, and later changes wait for the work. */
  async still<T>(run: () => Promise<T>): Promise<T> {
    while (this.#still !== undefined) await this.#still;
    const work = begunAhead(this.#quiet().then(run));
    this.#still = work.then(
      () => (this.#still = undefined),
      () => (this.#still = undefined),
    );
    return work;
  }

  #quiet(): Promise<void> {
    if (this.#changes === 0) return Promise.resolve();
    return new Promise((resolve) => (this.#onQuiet = resolve));
  }
}
