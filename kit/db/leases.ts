import type { Collection, Filter, MatchKeysAndValues, UpdateFilter } from 'mongodb';

/** Which fields of a collection's documents make a lease. Their names in the database are the collection's own. */
export interface LeaseFields<D, F extends keyof D & string> {
  /** The holder of the lease. Absent: holders are not stored, so no process can take its own earlier lease again. */
  owner?: keyof D & string;
  /** Others may claim the document from then on. */
  leaseUntil: keyof D & string;
  /** The fields that each claim changes. A write of the owner is done only while they are as its claim wrote them. */
  fence: readonly F[];
  /** The number of leases that lapsed instead of being released. Absent: they are not counted. */
  takeOvers?: keyof D & string;
}

/** The fields of a claimed document that its owner needs to write to it. */
export type Held<D extends { _id: string }, F extends keyof D> = Pick<D, '_id' | F>;

/** The end of a lease that its owner gave back: no real lease ends then. */
const RELEASED = new Date(0);

/**
 * The leases of the documents of one collection. Each change of one is one conditional update, so a process may be killed before or after
 * any of them; docs/adr/0082-leases-and-claims.md describes what is left then. lease-term.ts bounds how long an owner may work.
 */
export class Leases<D extends { _id: string }, F extends keyof D & string> {
  readonly #documents: Collection<D>;
  readonly #fields: LeaseFields<D, F>;

  constructor(documents: Collection<D>, fields: LeaseFields<D, F>) {
    this.#documents = documents;
    this.#fields = fields;
  }

  /**
   * Takes the lease of a document: a free one, a lapsed one, or the caller's own earlier one. `lease` has a new end and a new fence.
   * Returns the claimed document, or undefined when it was claimed since it was read, or another owner renewed its lease, or `where` does
   * not match.
   */
  async claim(
    read: Held<D, F> & Partial<D>,
    lease: MatchKeysAndValues<D>,
    { where = {}, unset }: { where?: Filter<D>; unset?: UpdateFilter<D>['$unset'] } = {},
  ): Promise<D | undefined> {
    const { owner, leaseUntil, fence, takeOvers } = this.#fields;
    const isOwn = owner !== undefined && (lease as Partial<D>)[owner] === read[owner];
    // The caller's own lease may have been renewed since the read. The lease of another owner must not have been, as then it has not
    // lapsed.
    const guards = isOwn ? fence : [...fence, leaseUntil];
    const end = read[leaseUntil];
    const lapsed = end instanceof Date && end.getTime() !== RELEASED.getTime();
    const $set = { ...lease, ...(takeOvers && { [takeOvers]: Number(read[takeOvers] ?? 0) + Number(lapsed) }) };
    const update = { $set, ...(unset && { $unset: unset }) } as UpdateFilter<D>;
    const filter = { ...where, ...asRead<D, keyof D & string>(read, guards) };
    return (
      ((await this.#documents.findOneAndUpdate(filter, update, { returnDocument: 'after' })) as D | null) ?? undefined
    );
  }

  /** Writes as the owner. Returns false and changes nothing when the document has another owner or is gone. */
  async write(held: Held<D, F>, update: UpdateFilter<D>): Promise<boolean> {
    return (await this.#documents.updateOne(asRead(held, this.#fields.fence), update)).matchedCount === 1;
  }

  /** Moves the end of leases. Returns how many of them the owner still has. */
  async renew(held: readonly Held<D, F>[], leaseUntil: Date): Promise<number> {
    if (held.length === 0) return 0;
    const update = { $set: { [this.#fields.leaseUntil]: leaseUntil } } as UpdateFilter<D>;
    const writes = held.map((one) => ({ updateOne: { filter: asRead(one, this.#fields.fence), update } }));
    return (await this.#documents.bulkWrite(writes, { ordered: false })).matchedCount;
  }

  /** Gives leases back. Others can then claim at once, without counting a take-over. */
  async release(held: readonly Held<D, F>[]): Promise<void> {
    await this.renew(held, RELEASED);
  }
}

/** Finds the document while the fields are as they were read; those that it did not have are still absent. */
function asRead<D extends { _id: string }, K extends keyof D>(
  read: Pick<D, '_id'> & Partial<Pick<D, K>>,
  fields: readonly K[],
): Filter<D> {
  const values = fields.map((field) => [field, read[field] ?? { $exists: false }] as const);
  return { _id: read._id, ...Object.fromEntries(values) } as Filter<D>;
}
