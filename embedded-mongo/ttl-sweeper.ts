import type { Clock, Timer } from '../kit/async/clock.js';
import type { WorkerLog } from './connection.js';
import type { Filter } from './filter/filter.js';
import { runQuery } from './query/query.js';
import type { Index } from './store/catalog.js';
import { forgetSessions, SESSION_MINUTES } from './store/retried-writes.js';
import type { Store } from './store/store.js';

/** How often expired documents are removed, as often as by MongoDB. */
const SWEEP_EVERY_MS = 60_000;

/** How many documents one write deletes. Other writes get their turn in between. */
const DELETES_PER_WRITE = 500;

/** Removes documents whose date is further back than their index's expireAfterSeconds, and sessions that ended, once a minute. */
export class TtlSweeper {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #log: WorkerLog;
  #timer: Timer | undefined;
  #closed = false;

  constructor(store: Store, clock: Clock, log: WorkerLog) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
  }

  start(): void {
    this.#timer = this.#clock.after(SWEEP_EVERY_MS, () => {
      this.sweep()
        .catch((error: unknown) => this.#log.error({ err: error }, 'removing expired documents failed'))
        .finally(() => {
          if (!this.#closed) this.start();
        });
    });
  }

  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
  }

  /** @returns how many documents were removed */
  async sweep(): Promise<number> {
    let removed = 0;
    await this.#store.write((writer) => forgetSessions(writer, this.#clock.now() - 2 * SESSION_MINUTES * 60_000));
    const catalog = this.#store.read((view) => view.catalog);
    for (const { namespace, indexes } of catalog.all()) {
      for (const { name } of indexes.filter(({ expireAfterSeconds }) => expireAfterSeconds !== undefined)) {
        let batch: number;
        do {
          batch = this.#closed ? 0 : await this.#removeSome(namespace, name);
          removed += batch;
        } while (batch === DELETES_PER_WRITE);
      }
    }
    return removed;
  }

  #removeSome(namespace: string, indexName: string): Promise<number> {
    return this.#store.write((writer) => {
      // The index is looked up in each write, as it can change between two writes.
      const collection = writer.catalog.get(namespace);
      const index = collection?.indexes.find(({ name }) => name === indexName);
      if (collection === undefined || index === undefined) return 0;
      const query = { filter: this.#expiredBy(index), sort: [], limit: DELETES_PER_WRITE };
      const expired = [...runQuery(writer, collection, query)];
      for (const { fields } of expired) writer.remove(collection, fields);
      return expired.length;
    });
  }

  /** Only dates expire, and the earliest date of an array counts, as in MongoDB. */
  #expiredBy({ fields, expireAfterSeconds = 0 }: Index): Filter {
    const before = new Date(this.#clock.now() - expireAfterSeconds * 1_000);
    return {
      kind: 'and',
      branches: fields.map(({ path }) => ({ kind: 'field', path, test: { op: 'lt', value: before } })),
    };
  }
}
