import type { Collection, Db } from 'mongodb';
import { Leases } from '../../kit/db/leases.js';
import { putIndexes } from '../../kit/db/put-indexes.js';
import { isDuplicateKey } from '../../kit/db/mongo.js';

/**
 * An enabled relay. A relay that is off has no document: turning it off removes the code and everything else in one write.
 * Only the instance that has the lease listens for it.
 */
export interface RelayDocument {
  /** The phone's id. */
  _id: string;
  /** A new id each time the relay is enabled. Writes that name an older id have no effect. */
  enableId: string;
  accountId: string;
  /** Name of the device, for the log. */
  device: string;
  /** The key that enabled it. */
  keyId: string;
  codeDigest: string;
  /** The addresses that may connect. Empty: any, through the API alone. */
  allow: string[];
  /** Whether clients may connect through the API. Absent in relays that an older release enabled: they may not. */
  tunnel?: boolean;
  enabledAt: Date;
  expiresAt: Date;
  /** The newest checks of codes that failed or are not finished, oldest first. There are at most as many as the window allows. */
  checks: { id: string; at: Date }[];
  /** Refusals by rule. */
  refused: Record<string, number>;
  sessions: RelaySession[];
  instanceId: string;
  leaseUntil: Date;
  /** The host that customers connect to. Empty: the relay has no port. */
  host: string;
  /** 0: the relay has no port. */
  port: number;
  /** `host:port`, which no two relays have. Without a port: `:` and the phone's id. */
  endpoint: string;
  /** Where other relay services reach the rpcs of this instance. Empty, or absent in relays of an older release: it is not known. */
  rpcUrl?: string;
}

export interface RelaySession {
  id: string;
  address: string;
  connectedAt: Date;
  loggedIn: boolean;
  /** Whether the client came through the API. Absent in the sessions of an older release: it did not. */
  tunnel?: boolean;
}

/** The fields that enabling replaces. */
export type RelayTerms = Pick<
  RelayDocument,
  'enableId' | 'accountId' | 'device' | 'keyId' | 'codeDigest' | 'allow' | 'tunnel' | 'enabledAt' | 'expiresAt'
>;

/** Where a relay listens, and which instance listens for it. */
export type RelayPlace = Pick<RelayDocument, 'instanceId' | 'leaseUntil' | 'host' | 'port' | 'endpoint' | 'rpcUrl'>;

export class RelayStore {
  readonly #relays: Collection<RelayDocument>;
  readonly #leases: Leases<RelayDocument, 'enableId' | 'instanceId'>;

  constructor(database: Db) {
    this.#relays = database.collection<RelayDocument>('relays');
    const fence = ['enableId', 'instanceId'] as const;
    this.#leases = new Leases(this.#relays, { owner: 'instanceId', leaseUntil: 'leaseUntil', fence });
  }

  async createIndexes(): Promise<void> {
    await putIndexes(this.#relays, [
      { key: { endpoint: 1 }, name: 'endpoint', unique: true },
      { key: { instanceId: 1 }, name: 'instance' },
      { key: { leaseUntil: 1 }, name: 'lease' },
      { key: { accountId: 1, host: 1 }, name: 'account_host' },
    ]);
  }

  /** Every relay that is on, by address. */
  list(limit: number): Promise<RelayDocument[]> {
    return this.#relays.find({}).sort({ endpoint: 1 }).limit(limit).toArray();
  }

  find(phoneId: string): Promise<RelayDocument | null> {
    return this.#relays.findOne({ _id: phoneId });
  }

  /** Returns `taken` when the phone has a relay or another relay has the place. */
  async insert(phoneId: string, terms: RelayTerms, place: RelayPlace): Promise<'inserted' | 'taken'> {
    return uniquely(async () => {
      await this.#relays.insertOne({ _id: phoneId, ...fresh(terms), ...place });
      return 'inserted' as const;
    });
  }

  /**
   * Sets new terms for a relay that is on. The relay stays in its place, or moves to `place`. `lost`: the relay has changed since it was
   * read. `taken`: another relay has the place.
   */
  async renewTerms(known: RelayDocument, terms: RelayTerms, place?: RelayPlace): Promise<'renewed' | 'lost' | 'taken'> {
    return uniquely(async () => {
      const $set = { ...fresh(terms), ...place };
      const isDone = await (place === undefined
        ? this.#leases.write(known, { $set })
        : this.#leases.claim(known, $set));
      return isDone ? ('renewed' as const) : ('lost' as const);
    });
  }

  /** Moves a relay that is on to another place. Returns the relay, including changes since it was read. */
  async move(known: RelayDocument, place: RelayPlace): Promise<RelayDocument | 'lost' | 'taken'> {
    return uniquely(async () => {
      const moved = await this.#leases.claim(known, { ...place, sessions: [] });
      return moved ?? ('lost' as const);
    });
  }

  /** Turns a phone's relay off, or only the one enabled as `enableId`. Returns the removed document. */
  async remove(phoneId: string, enableId?: string): Promise<RelayDocument | undefined> {
    const removed = await this.#relays.findOneAndDelete({ _id: phoneId, ...(enableId !== undefined && { enableId }) });
    return removed ?? undefined;
  }

  /**
   * Reserves a check of a code before it is made, so that no crash, restart or second instance allows one check too many. `full`:
   * there have been `most` checks since `since`.
   */
  async reserveCheck(
    relay: Pick<RelayDocument, '_id' | 'enableId'>,
    check: { id: string; at: Date },
    window: { most: number; since: Date },
  ): Promise<RelayDocument | 'full' | 'off'> {
    const on = { _id: relay._id, enableId: relay.enableId, expiresAt: { $gt: check.at } };
    const reserved = await this.#relays.findOneAndUpdate(
      {
        ...on,
        $or: [{ [`checks.${window.most - 1}`]: { $exists: false } }, { 'checks.0.at': { $lte: window.since } }],
      },
      { $push: { checks: { $each: [check], $slice: -window.most } } },
      { returnDocument: 'after' },
    );
    if (reserved) return reserved;
    return (await this.#relays.findOne(on)) === null ? 'off' : 'full';
  }

  /** Removes the check of a right code, as only wrong codes count. */
  async forgetCheck(relay: Pick<RelayDocument, '_id' | 'enableId'>, checkId: string): Promise<void> {
    await this.#relays.updateOne({ _id: relay._id, enableId: relay.enableId }, { $pull: { checks: { id: checkId } } });
  }

  /** Sets the counts of refusals and the list of sessions. Only the instance that listens for a relay does so. */
  async report(
    relay: Pick<RelayDocument, '_id' | 'enableId' | 'instanceId'>,
    refused: Record<string, number>,
    sessions: RelaySession[],
  ): Promise<void> {
    await this.#leases.write(relay, { $set: { refused, sessions } });
  }

  /** All relays of an instance. */
  findOfInstance(instanceId: string): Promise<RelayDocument[]> {
    return this.#relays.find({ instanceId }).toArray();
  }

  /** Extends the leases of all relays of an instance to the same time, and notes where its rpcs are. */
  async renewLeases(instanceId: string, until: Date, rpcUrl: string): Promise<void> {
    await this.#relays.updateMany({ instanceId }, { $set: { leaseUntil: until, rpcUrl } });
  }

  /** Returns the relays whose instance has not renewed its lease. */
  findLapsed(now: Date): Promise<RelayDocument[]> {
    return this.#relays
      .find({ leaseUntil: { $lt: now } })
      .limit(100)
      .toArray();
  }

  /** Returns how many relays of an account have a port at a host. */
  countAt(accountId: string, host: string): Promise<number> {
    return this.#relays.countDocuments({ accountId, host });
  }

  /** Ports of a host that relays have. */
  async portsOf(host: string): Promise<Set<number>> {
    const prefix = `${host}:`;
    // Between "host:" and "host;", which is the next character.
    const taken = await this.#relays.find({ endpoint: { $gt: prefix, $lt: `${host};` } }).toArray();
    return new Set(taken.map(({ port }) => port));
  }
}

function fresh(terms: RelayTerms): RelayTerms & Pick<RelayDocument, 'checks' | 'refused' | 'sessions'> {
  return { ...terms, checks: [], refused: {}, sessions: [] };
}

async function uniquely<T>(write: () => Promise<T>): Promise<T | 'taken'> {
  try {
    return await write();
  } catch (error) {
    if (isDuplicateKey(error)) return 'taken';
    throw error;
  }
}
