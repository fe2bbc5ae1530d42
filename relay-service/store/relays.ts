import type { Collection, Db, Filter } from 'mongodb';
import { putIndexes } from '../../kit/put-indexes.js';
import { isDuplicateKey } from '../../kit/mongo.js';

/**
 * An enabled relay. There is no document of one that is off: turning it off removes the code and everything else in one write.
 * Only the instance that has the lease listens for it.
 */
export interface RelayDocument {
  /** The phone's id. */
  _id: string;
  /** New each time it is enabled; writes that name an older one have no effect. */
  enableId: string;
  accountId: string;
  /** Name of the device, for the log. */
  device: string;
  /** The key that enabled it. */
  keyId: string;
  codeDigest: string;
  allow: string[];
  enabledAt: Date;
  expiresAt: Date;
  /** The newest checks of codes that were wrong or are not decided yet, oldest first, at most as many as the window allows. */
  checks: { id: string; at: Date }[];
  /** Refusals by rule. */
  refused: Record<string, number>;
  sessions: RelaySession[];
  instanceId: string;
  leaseUntil: Date;
  host: string;
  port: number;
  /** `host:port`, which no two relays have. */
  endpoint: string;
}

export interface RelaySession {
  id: string;
  address: string;
  connectedAt: Date;
  loggedIn: boolean;
}

/** The fields that enabling replaces. */
export type RelayTerms = Pick<
  RelayDocument,
  'enableId' | 'accountId' | 'device' | 'keyId' | 'codeDigest' | 'allow' | 'enabledAt' | 'expiresAt'
>;

/** Where a relay listens, and which instance listens for it. */
export type RelayPlace = Pick<RelayDocument, 'instanceId' | 'leaseUntil' | 'host' | 'port' | 'endpoint'>;

export class RelayStore {
  readonly #relays: Collection<RelayDocument>;

  constructor(database: Db) {
    this.#relays = database.collection<RelayDocument>('relays');
  }

  async createIndexes(): Promise<void> {
    await putIndexes(this.#relays, [
      { key: { endpoint: 1 }, name: 'endpoint', unique: true },
      { key: { instanceId: 1 }, name: 'instance' },
      { key: { leaseUntil: 1 }, name: 'lease' },
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
   * Sets new terms for a relay that is on, in the place it has, or in `place`. `lost`: it has changed since it was read. `taken`:
   * another relay has the place.
   */
  async renewTerms(known: RelayDocument, terms: RelayTerms, place?: RelayPlace): Promise<'renewed' | 'lost' | 'taken'> {
    return uniquely(async () => {
      const $set = { ...fresh(terms), ...place };
      const { matchedCount } = await this.#relays.updateOne(asKnown(known, place), { $set });
      return matchedCount === 1 ? ('renewed' as const) : ('lost' as const);
    });
  }

  /** Moves a relay that is on to another place. Returns it with what was written to it since it was read. */
  async move(known: RelayDocument, place: RelayPlace): Promise<RelayDocument | 'lost' | 'taken'> {
    return uniquely(async () => {
      const $set = { ...place, sessions: [] };
      const moved = await this.#relays.findOneAndUpdate(asKnown(known, place), { $set }, { returnDocument: 'after' });
      return moved ?? ('lost' as const);
    });
  }

  /** Turns a phone's relay off, or only the one enabled as `enableId`. Returns the removed document. */
  async remove(phoneId: string, enableId?: string): Promise<RelayDocument | undefined> {
    const removed = await this.#relays.findOneAndDelete({ _id: phoneId, ...(enableId !== undefined && { enableId }) });
    return removed ?? undefined;
  }

  /**
   * Reserves a check of a code before it is made, so that no crash, restart or second instance can make one too many. `full`: there
   * have been `most` since `since`.
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

  /** Removes the check of a code that was right: it is not counted. */
  async forgetCheck(relay: Pick<RelayDocument, '_id' | 'enableId'>, checkId: string): Promise<void> {
    await this.#relays.updateOne({ _id: relay._id, enableId: relay.enableId }, { $pull: { checks: { id: checkId } } });
  }

  /** Sets the counts of refusals and the list of sessions. Only the instance that listens for a relay does so. */
  async report(
    relay: Pick<RelayDocument, '_id' | 'enableId' | 'instanceId'>,
    refused: Record<string, number>,
    sessions: RelaySession[],
  ): Promise<void> {
    const { _id, enableId, instanceId } = relay;
    await this.#relays.updateOne({ _id, enableId, instanceId }, { $set: { refused, sessions } });
  }

  /** All relays of an instance. */
  findOfInstance(instanceId: string): Promise<RelayDocument[]> {
    return this.#relays.find({ instanceId }).toArray();
  }

  async renewLeases(instanceId: string, until: Date): Promise<void> {
    await this.#relays.updateMany({ instanceId }, { $set: { leaseUntil: until } });
  }

  /** Those whose instance has not renewed its lease. */
  findLapsed(now: Date): Promise<RelayDocument[]> {
    return this.#relays
      .find({ leaseUntil: { $lt: now } })
      .limit(100)
      .toArray();
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

/** Another instance's relay is not taken over when its lease has been renewed since it was read. */
function asKnown(known: RelayDocument, place: RelayPlace | undefined): Filter<RelayDocument> {
  const { _id, enableId, instanceId, leaseUntil } = known;
  const takesOver = place !== undefined && place.instanceId !== instanceId;
  return { _id, enableId, instanceId, ...(takesOver && { leaseUntil }) };
}

async function uniquely<T>(write: () => Promise<T>): Promise<T | 'taken'> {
  try {
    return await write();
  } catch (error) {
    if (isDuplicateKey(error)) return 'taken';
    throw error;
  }
}
