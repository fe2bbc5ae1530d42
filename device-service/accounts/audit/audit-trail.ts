import { begunAhead } from '../../../kit/async/begun-ahead.js';
import { ApiError } from '../../../kit/errors/api-error.js';
import type { Log } from '../../../kit/log/log.js';
import type { AuditDocument, AuditStore } from '../../store/audit.js';
import { type AuditLine, bounded, type BoundedLine, chained } from './audit-line.js';

/** Most entries that one write of an account has. */
export const MAX_BATCH_ENTRIES = 100;

/** Most entries of all accounts that wait to be written, those that could not be written included. */
export const MAX_WAITING_ENTRIES = 10_000;

/** Most accounts whose last entry is remembered. Others are read again. */
const MAX_HEADS = 1_000;

/** An entry that waits. It has no `settle` once its caller has the error that it was not written. */
interface Waiting {
  line: BoundedLine;
  settle?: { resolve: () => void; reject: (error: ApiError) => void };
}

export interface AuditTrailOptions {
  store: Pick<AuditStore, 'findLast' | 'insert' | 'findByIds'>;
  /** Identifies this process among those that write to the database. */
  writer: string;
  log: Log;
  /** Called with each entry that was written. */
  onEntry?: ((entry: AuditDocument) => void) | undefined;
}

/**
 * Adds entries to the chains of accounts. One account has one write at a time in a process, which takes all entries that wait: so many calls
 * at once cost few writes. Where another process was faster, the number of an entry is taken, and it goes on from the new end.
 *
 * An entry that could not be written stays, and goes before all later ones. Until then the account's changes are refused.
 */
export class AuditTrail {
  readonly #options: AuditTrailOptions;
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #writing = new Map<string, Promise<void>>();
  readonly #heads = new Map<string, AuditDocument>();
  /** Entries of the last write of an account, while it is not known whether they were stored. */
  readonly #doubtful = new Map<string, AuditDocument[]>();
  #count = 0;

  constructor(options: AuditTrailOptions) {
    this.#options = options;
  }

  /** How many entries wait. */
  get waiting(): number {
    return this.#count;
  }

  /** Resolves when the entry is in the database. Throws unavailable when it could not be written. */
  append(line: AuditLine): Promise<void> {
    if (this.#count >= MAX_WAITING_ENTRIES) {
      this.#options.log.error({ audit: bounded(line) }, 'an entry of the audit log was lost: too many wait');
      return Promise.reject(notWritable(undefined));
    }
    return new Promise((resolve, reject) => {
      const lines = this.#waiting.get(line.accountId) ?? [];
      lines.push({ line: bounded(line), settle: { resolve, reject } });
      this.#waiting.set(line.accountId, lines);
      this.#count += 1;
      void this.#write(line.accountId);
    });
  }

  /** Throws unavailable while entries of the account that could not be written still cannot be. */
  async assertWritable(accountId: string): Promise<void> {
    if (!this.#hasFailed(accountId)) return;
    await this.#write(accountId);
    if (this.#hasFailed(accountId)) throw notWritable(undefined);
  }

  /** Writes what waits, once more where it failed. */
  async close(): Promise<void> {
    await Promise.all([...this.#waiting.keys()].map((accountId) => this.#write(accountId)));
    for (const { line } of [...this.#waiting.values()].flat()) {
      this.#options.log.error({ audit: line }, 'an entry of the audit log was not written before the end');
    }
  }

  #hasFailed(accountId: string): boolean {
    const [oldest] = this.#waiting.get(accountId) ?? [];
    return oldest !== undefined && oldest.settle === undefined;
  }

  /** Writes until nothing waits or a write fails. A write that is under way is joined. It never rejects. */
  #write(accountId: string): Promise<void> {
    const running = this.#writing.get(accountId);
    if (running !== undefined) return running;
    const work = begunAhead(this.#writeAll(accountId));
    this.#writing.set(accountId, work);
    return work;
  }

  async #writeAll(accountId: string): Promise<void> {
    // All calls of this turn are written together.
    await Promise.resolve();
    for (let lines = this.#waiting.get(accountId) ?? []; lines.length > 0;) {
      let added: AuditDocument[];
      try {
        added = await this.#add(accountId, lines.slice(0, MAX_BATCH_ENTRIES));
      } catch (error) {
        this.#heads.delete(accountId);
        // It is over before anybody hears of it: the next entry begins a new write.
        this.#writing.delete(accountId);
        this.#fail(lines, error);
        return;
      }
      this.#count -= added.length;
      const settled = lines.splice(0, added.length);
      if (lines.length === 0) {
        this.#waiting.delete(accountId);
        this.#writing.delete(accountId);
      }
      for (const { settle } of settled) settle?.resolve();
      for (const entry of added) this.#options.onEntry?.(entry);
    }
    if (!this.#waiting.has(accountId)) this.#writing.delete(accountId);
  }

  /** Adds entries to the end of the chain. Returns those that were added: fewer where another process took their numbers. */
  async #add(accountId: string, batch: readonly Waiting[]): Promise<AuditDocument[]> {
    const { store, writer } = this.#options;
    const doubtful = this.#doubtful.get(accountId);
    if (doubtful !== undefined) {
      const found = await this.#own(doubtful);
      this.#doubtful.delete(accountId);
      if (found.length > 0) return found;
    }
    let head = this.#heads.get(accountId) ?? (await store.findLast(accountId));
    const entries: AuditDocument[] = [];
    for (const { line } of batch) entries.push((head = chained(line, head, writer)));
    // A write that fails may have been made all the same. The next attempt looks for these entries first.
    this.#doubtful.set(accountId, entries);
    const isWhole = await store.insert(entries);
    const added = isWhole ? entries : await this.#own(entries);
    this.#doubtful.delete(accountId);
    if (isWhole && head !== undefined) this.#remember(accountId, head);
    else this.#heads.delete(accountId);
    return added;
  }

  /** Returns the entries, from the first on, that are stored as this process made them. */
  async #own(entries: readonly AuditDocument[]): Promise<AuditDocument[]> {
    const found = await this.#options.store.findByIds(entries.map(({ _id }) => _id));
    const stored = new Map(found.map((entry) => [entry._id, entry]));
    const foreign = entries.findIndex(({ _id, digest }) => {
      const entry = stored.get(_id);
      return entry?.digest !== digest || entry.writer !== this.#options.writer;
    });
    return entries.slice(0, foreign === -1 ? entries.length : foreign);
  }

  #fail(lines: readonly Waiting[], cause: unknown): void {
    this.#options.log.error(
      { err: cause, entries: lines.length },
      'could not write the audit log; changes are refused',
    );
    for (const waiting of lines) {
      waiting.settle?.reject(notWritable(cause));
      delete waiting.settle;
    }
  }

  #remember(accountId: string, head: AuditDocument): void {
    this.#heads.delete(accountId);
    this.#heads.set(accountId, head);
    const [oldest] = this.#heads.keys();
    if (this.#heads.size > MAX_HEADS && oldest !== undefined) this.#heads.delete(oldest);
  }
}

function notWritable(cause: unknown): ApiError {
  return new ApiError(
    'unavailable',
    'The audit log cannot be written just now, so nothing may be changed. Look whether the last change was made, then try again.',
    { retryAfterS: 5, ...(cause !== undefined && { cause }) },
  );
}
