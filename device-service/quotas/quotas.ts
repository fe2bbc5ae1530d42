import type { Clock } from '../../kit/clock.js';
import { ApiError } from '../../kit/errors.js';
import { accountDisabled } from '../access/active-account.js';
import { KeyedLock } from '../../kit/keyed-lock.js';
import type { AccountDocument, AccountStore, QuotaClaim } from '../store/accounts.js';
import type { DeviceStore } from '../store/devices.js';
import type { SnapshotStore } from '../store/snapshots.js';

/** What an account may have at most; 0: no bound. Settings QUOTA_DEVICES and QUOTA_STORAGE_GB. */
export interface QuotaSettings {
  devices: number;
  storageBytes: number;
}

export interface QuotaParts {
  accounts: AccountStore;
  devices: DeviceStore;
  snapshots: SnapshotStore;
  clock: Clock;
}

/** What an account has. */
export interface QuotaUse {
  devices: number;
  phoneBytes: number;
  snapshotBytes: number;
}

/** What a creation needs. `id`: of the phone or snapshot that it makes. */
export interface QuotaNeed {
  id: string;
  devices: number;
  bytes: number;
}

/** How long a claim lasts whose process ended in the middle, ms: far longer than a creation takes from here to its document. */
export const CLAIM_MS = 10 * 60_000;

/** How often other hosts may be faster with the same account, until something else must be wrong. */
const CLAIM_TRIES = 100;

/**
 * The quotas of accounts. What an account has is counted from its devices and snapshots each time, so no counter can go wrong; what is
 * about to be made is a claim in the account's document from before the count until its own document is there. Claims are written in an
 * order, by the version of the account's claims: of creations at the same time, each counts those before it. An account without quotas has
 * claims too: nothing is created in an account that is disabled, and none is deleted while something is (access/disable-account.ts).
 */
export class Quotas {
  readonly #parts: QuotaParts;
  readonly #most: QuotaSettings;
  /** Creations of this process claim one after the other, so that they do not wait for one another's tries. */
  readonly #lock = new KeyedLock();

  constructor(parts: QuotaParts, most: QuotaSettings) {
    this.#parts = parts;
    this.#most = most;
  }

  /** What the account may have at most: its own quotas, else the operator's settings. */
  mostOf({ quotas }: Pick<AccountDocument, 'quotas'>): QuotaSettings {
    return { ...this.#most, ...quotas };
  }

  /** Runs `make`, which writes the document of `need.id`, where the account has room for it. Throws forbidden where it has none. */
  async within<T>(accountId: string, need: QuotaNeed, make: () => Promise<T>): Promise<T> {
    await this.#lock.run(accountId, () => this.#claim(accountId, need));
    try {
      return await make();
    } finally {
      // After a crash, or when the database is away now, the claim ends by itself.
      await this.#parts.accounts.endClaim(accountId, need.id).catch(() => undefined);
    }
  }

  /** What an account has, without claims. */
  async use(accountId: string): Promise<QuotaUse> {
    const [devices, snapshotBytes] = await Promise.all([
      this.#parts.devices.findStorage(accountId),
      this.#parts.snapshots.storageBytes(accountId),
    ]);
    const phoneBytes = devices.reduce((sum, { storageBytes = 0 }) => sum + storageBytes, 0);
    return { devices: devices.length, phoneBytes, snapshotBytes };
  }

  async #claim(accountId: string, need: QuotaNeed): Promise<void> {
    const { accounts, devices, snapshots, clock } = this.#parts;
    for (let tries = 0; tries < CLAIM_TRIES; tries++) {
      const account = await accounts.find(accountId);
      if (account === null) throw new Error(`a caller of account ${accountId}, which does not exist`);
      if (account.disabledAt !== undefined) throw accountDisabled();
      const most = this.mostOf(account);
      const isBounded = most.devices > 0 || most.storageBytes > 0;
      const { claimsVersion = 0 } = account;
      const [made, snapshotBytes] = isBounded
        ? await Promise.all([devices.findStorage(accountId), snapshots.storageBytes(accountId)])
        : [[], 0];
      const known = new Set(made.map(({ _id }) => _id));
      // Without those of this creation's earlier try, of devices that are there, and of processes that ended.
      const open = openClaims(account, clock.now()).filter(([id]) => id !== need.id && !known.has(id));
      const claimed = open.reduce(
        (sum, [, claim]) => ({ devices: sum.devices + claim.devices, bytes: sum.bytes + claim.bytes }),
        { devices: 0, bytes: 0 },
      );
      assertRoom(most, need, {
        devices: made.length + claimed.devices,
        phoneBytes: made.reduce((sum, { storageBytes = 0 }) => sum + storageBytes, claimed.bytes),
        snapshotBytes,
      });
      const claim: QuotaClaim = { devices: need.devices, bytes: need.bytes, at: new Date(clock.now()) };
      if (await accounts.setClaims(accountId, claimsVersion, { ...Object.fromEntries(open), [need.id]: claim })) return;
    }
    throw new ApiError('unavailable', 'This account creates too much at the same time. Try again.', { retryAfterS: 1 });
  }
}

/** Claims of creations that may be under way. */
export function openClaims({ claims = {} }: Pick<AccountDocument, 'claims'>, nowMs: number): [string, QuotaClaim][] {
  return Object.entries(claims).filter(([, { at }]) => nowMs - at.getTime() < CLAIM_MS);
}

function assertRoom({ devices, storageBytes }: QuotaSettings, need: QuotaNeed, use: QuotaUse): void {
  if (devices > 0 && use.devices + need.devices > devices) {
    const message = `The account has ${use.devices} of the ${devices} devices that it may have (quota "devices"; stopped devices count). Delete a device, or ask the operator for more.`;
    throw new ApiError('forbidden', message);
  }
  const used = use.phoneBytes + use.snapshotBytes;
  if (storageBytes > 0 && used + Math.max(need.bytes, 1) > storageBytes) {
    const message = `The account uses ${gb(used)} of the ${gb(storageBytes)} GB of storage that it may use (quota "storage_bytes"): ${gb(use.phoneBytes)} GB by phones, ${gb(use.snapshotBytes)} GB by snapshots; this needs ${gb(need.bytes)} GB. Delete snapshots or devices, or ask the operator for more.`;
    throw new ApiError('forbidden', message);
  }
}

function gb(bytes: number): string {
  return (bytes / 1e9).toFixed(2);
}
