import type { Clock } from '../../../kit/async/clock.js';
import { ApiError } from '../../../kit/errors/api-error.js';
import { accountDisabled } from '../callers/active-account.js';
import { KeyedLock } from '../../../kit/async/keyed-lock.js';
import type { Stores } from '../../store/stores.js';
import type { AccountDocument, QuotaClaim } from '../../store/accounts.js';

type QuotaStores = Pick<Stores, 'accounts' | 'devices' | 'library' | 'recordings' | 'snapshots' | 'templates'>;

/** The most that an account may have; 0: no bound. Settings QUOTA_DEVICES and QUOTA_STORAGE_GB. */
export interface QuotaSettings {
  devices: number;
  storageBytes: number;
}

/** The present use of an account. */
export interface QuotaUse {
  devices: number;
  phoneBytes: number;
  snapshotBytes: number;
  templateBytes: number;
  recordingBytes: number;
  libraryBytes: number;
}

/** The need of a creation. `id` is the id of what it makes: a phone, a snapshot, a template, a recording, or an upload. */
export interface QuotaNeed {
  id: string;
  devices: number;
  bytes: number;
  /** Whether it takes the place of something as large, and so needs no free room. Absent: false. */
  replaces?: boolean;
}

/**
 * How long a claim lasts after its process ended in the middle, ms. This is far longer than the time from a claim to the creation's
 * document.
 */
export const CLAIM_MS = 10 * 60_000;

/** How often a claim is tried again because another host was faster with the same account. More tries would mean another fault. */
const CLAIM_TRIES = 100;

/**
 * Enforces the quotas of accounts. The use of an account is counted from what it has each time, so no counter can go wrong.
 * A creation puts a claim into the account's document before the count; the claim stays until the creation's own document exists. Claims
 * are written in an order, by the version of the account's claims. So each of several simultaneous creations counts those before it.
 *
 * An account without quotas has claims too. So nothing is created in a disabled account, and no account is deleted while something is
 * created in it (operator/disable-account.ts).
 */
export class Quotas {
  readonly #stores: QuotaStores;
  readonly #clock: Clock;
  readonly #most: QuotaSettings;
  /** Creations of this process claim one after the other, so that none of them has to try again because of another. */
  readonly #lock = new KeyedLock();

  constructor(stores: QuotaStores, clock: Clock, most: QuotaSettings) {
    this.#stores = stores;
    this.#clock = clock;
    this.#most = most;
  }

  /** Returns the most that the account may have: its own quotas, or else the operator's settings. */
  maxOf({ quotas }: Pick<AccountDocument, 'quotas'>): QuotaSettings {
    return { ...this.#most, ...quotas };
  }

  /**
   * Runs `make`, which writes the document of `need.id`, where the account has room for it. Throws forbidden where the account has none.
   */
  async within<T>(accountId: string, need: QuotaNeed, make: () => Promise<T>): Promise<T> {
    await this.#lock.run(accountId, () => this.#claim(accountId, need));
    try {
      return await make();
    } finally {
      // If a crash or an unavailable database prevents this, the claim ends by itself.
      await this.#stores.accounts.endClaim(accountId, need.id).catch(() => undefined);
    }
  }

  /** Returns the use of an account, without claims. */
  async use(accountId: string): Promise<QuotaUse> {
    const [devices, others] = await Promise.all([
      this.#stores.devices.findStorage(accountId),
      this.#storedBeside(accountId),
    ]);
    const phoneBytes = devices.reduce((sum, { storageBytes = 0 }) => sum + storageBytes, 0);
    return { devices: devices.length, phoneBytes, ...others };
  }

  /** Returns the reason why the account may store nothing more; undefined while it may. Claims are not counted. */
  async fullText(accountId: string): Promise<string | undefined> {
    const account = await this.#stores.accounts.find(accountId);
    if (account === null) return undefined;
    const { storageBytes } = this.maxOf(account);
    if (storageBytes === 0) return undefined;
    const use = await this.use(accountId);
    return storedBytes(use) < storageBytes ? undefined : `${storageText(use, storageBytes)}. ${MAKE_ROOM}`;
  }

  /** Returns the room that the account takes beside its phones. */
  async #storedBeside(accountId: string): Promise<Omit<QuotaUse, 'devices' | 'phoneBytes'>> {
    const { library, recordings, snapshots, templates } = this.#stores;
    const [snapshotBytes, templateBytes, recordingBytes, libraryBytes] = await Promise.all([
      snapshots.storageBytes(accountId),
      templates.storageBytes(accountId),
      recordings.storageBytes(accountId),
      library.storageBytes(accountId),
    ]);
    return { snapshotBytes, templateBytes, recordingBytes, libraryBytes };
  }

  async #claim(accountId: string, need: QuotaNeed): Promise<void> {
    const { accounts, devices } = this.#stores;
    for (let tries = 0; tries < CLAIM_TRIES; tries++) {
      const account = await accounts.find(accountId);
      if (account === null) throw new Error(`a caller of account ${accountId}, which does not exist`);
      if (account.disabledAt !== undefined) throw accountDisabled();
      const most = this.maxOf(account);
      const isBounded = most.devices > 0 || most.storageBytes > 0;
      const { claimsVersion = 0 } = account;
      const [made, others] = isBounded
        ? await Promise.all([devices.findStorage(accountId), this.#storedBeside(accountId)])
        : [[], { snapshotBytes: 0, templateBytes: 0, recordingBytes: 0, libraryBytes: 0 }];
      const known = new Set(made.map(({ _id }) => _id));
      // Left out are the claims of this creation's earlier try, of devices that exist, and of processes that ended.
      const open = openClaims(account, this.#clock.now()).filter(([id]) => id !== need.id && !known.has(id));
      const claimed = open.reduce(
        (sum, [, claim]) => ({ devices: sum.devices + claim.devices, bytes: sum.bytes + claim.bytes }),
        { devices: 0, bytes: 0 },
      );
      assertRoom(most, need, {
        devices: made.length + claimed.devices,
        phoneBytes: made.reduce((sum, { storageBytes = 0 }) => sum + storageBytes, claimed.bytes),
        ...others,
      });
      const claim: QuotaClaim = { devices: need.devices, bytes: need.bytes, at: new Date(this.#clock.now()) };
      if (await accounts.setClaims(accountId, claimsVersion, { ...Object.fromEntries(open), [need.id]: claim })) return;
    }
    throw new ApiError('unavailable', 'This account creates too much at the same time. Try again.', { retryAfterS: 1 });
  }
}

/** Returns the claims of creations that may be under way. */
export function openClaims({ claims = {} }: Pick<AccountDocument, 'claims'>, nowMs: number): [string, QuotaClaim][] {
  return Object.entries(claims).filter(([, { at }]) => nowMs - at.getTime() < CLAIM_MS);
}

function assertRoom({ devices, storageBytes }: QuotaSettings, need: QuotaNeed, use: QuotaUse): void {
  if (devices > 0 && use.devices + need.devices > devices) {
    const message = `The account has ${use.devices} of the ${devices} devices that it may have (quota "devices"; stopped devices count). Delete a device, or ask the operator for more.`;
    throw new ApiError('forbidden', message);
  }
  const needsRoom = need.replaces !== true || need.bytes > 0;
  if (needsRoom && storageBytes > 0 && storedBytes(use) + Math.max(need.bytes, 1) > storageBytes) {
    const message = `${storageText(use, storageBytes)}; this needs ${gb(need.bytes)} GB. ${MAKE_ROOM}`;
    throw new ApiError('forbidden', message);
  }
}

/** Returns the bytes that count toward the quota of storage. */
export function storedBytes(use: QuotaUse): number {
  const { phoneBytes, snapshotBytes, templateBytes, recordingBytes, libraryBytes } = use;
  return phoneBytes + snapshotBytes + templateBytes + recordingBytes + libraryBytes;
}

const MAKE_ROOM =
  'Delete snapshots, templates, recordings, apps of the library or devices, or ask the operator for more.';

function storageText(use: QuotaUse, most: number): string {
  const { phoneBytes, snapshotBytes, templateBytes, recordingBytes, libraryBytes } = use;
  const saved = `${gb(snapshotBytes)} GB by snapshots, ${gb(templateBytes)} GB by templates`;
  const others = `${gb(recordingBytes)} GB by recordings, ${gb(libraryBytes)} GB by the app library`;
  const parts = `${gb(phoneBytes)} GB by phones, ${saved}, ${others}`;
  return `The account uses ${gb(storedBytes(use))} of the ${gb(most)} GB of storage that it may use (quota "storage_bytes"): ${parts}`;
}

function gb(bytes: number): string {
  return (bytes / 1e9).toFixed(2);
}
