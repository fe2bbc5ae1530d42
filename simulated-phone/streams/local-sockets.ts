import type { ByteSink, ByteSource } from './pipe.js';

/** Both directions of one connection inside the phone. */
export interface LocalConnection extends ByteSource, ByteSink {
  /** Fires when the other side is gone. */
  readonly closed: AbortSignal;
}

/** Listening sockets inside the phone: `localabstract:` names and TCP ports. */
export class LocalSockets {
  readonly #listeners = new Map<string, (connection: LocalConnection) => Promise<void>>();

  /** Listens. `name` is as in adb: `localabstract:minicap`, `tcp:7912`. Returns the function that stops listening. */
  listen(name: string, accept: (connection: LocalConnection) => Promise<void>): () => void {
    if (this.#listeners.has(name)) throw new Error(`${name} is taken`);
    this.#listeners.set(name, accept);
    return () => {
      if (this.#listeners.get(name) === accept) this.#listeners.delete(name);
    };
  }

  /** Returns the listener of a name; undefined when nothing listens there. */
  find(name: string): ((connection: LocalConnection) => Promise<void>) | undefined {
    return this.#listeners.get(name);
  }

  names(): string[] {
    return [...this.#listeners.keys()];
  }
}
