import type { Clock } from '../../kit/clock.js';
import { endOfRun } from '../converge/device-run.js';
import type { AccountStore } from '../store/accounts.js';
import type { DeviceDocument, DeviceStore } from '../store/devices.js';
import type { HostStore } from '../store/hosts.js';
import type { LedgerEntry, LedgerStore } from '../store/ledger.js';
import { lastCharged, minuteDedupe, minuteOf, minutePosting, minutePrice, minutesDue } from './charges.js';
import type { Ledger } from './ledger.js';
import type { Prices } from './prices.js';
import type { Posting, Standing } from './postings.js';

export interface AccountNowParts {
  accounts: AccountStore;
  devices: DeviceStore;
  hosts: HostStore;
  entries: LedgerStore;
  ledger: Ledger;
  prices: Prices;
  clock: Clock;
  hostId: string;
  /** Whether it is not known if the phone of a device of this host runs as recorded. */
  isDoubtful: (device: DeviceDocument) => boolean;
}

export interface AccountNow {
  standing: Standing;
  /** Number of the last line of the ledger; 0 when there is none. */
  seq: number;
  /** The lines that the meter adds next. */
  begun: readonly LedgerEntry[];
}

/** How often the ledger may grow while it is read, until it is taken as it is: then a minute may be shown twice, or not yet. */
const READ_TRIES = 5;

/**
 * Returns an account as it is at this moment: its ledger, and the minutes that have begun since the meter last ran. Writes nothing,
 * as only the meter of a phone's host can know that the phone runs: of a host that is away, minutes count until it was last heard of.
 */
export async function accountNow(parts: AccountNowParts, accountId: string): Promise<AccountNow> {
  const { accounts, entries, ledger, prices } = parts;
  for (let tries = 1; ; tries++) {
    const [last, account] = await Promise.all([entries.findLast(accountId), accounts.find(accountId)]);
    const runs = await knownRuns(parts, await parts.devices.findRuns(accountId));
    const postings = await begunMinutes(parts, runs);
    // Minutes that the meter has charged meanwhile are neither in `last` nor in `postings`.
    if (runs.length > 0 && tries < READ_TRIES && (await entries.findLast(accountId))?.seq !== last?.seq) continue;
    const price = minutePrice(account?.trial ?? { state: 'used' }, prices);
    const { standing, entries: begun } = ledger.preview(accountId, last, postings, price);
    return { standing, seq: last?.seq ?? 0, begun };
  }
}

/** Returns the minutes of the runs that have begun and are not charged, in the order in which they will be. */
async function begunMinutes({ entries }: AccountNowParts, runs: readonly KnownRun[]): Promise<Posting[]> {
  const written = await entries.findWritten(runs.map(({ device, endMs }) => minuteDedupe(device._id, minuteOf(endMs))));
  const due: { minute: number; device: DeviceDocument }[] = [];
  for (const { device, startedMs, endMs } of runs) {
    const last = minuteOf(endMs);
    if (written.has(minuteDedupe(device._id, last))) continue;
    const charged = minuteOf(startedMs) === last ? 0 : await lastCharged(entries, device._id, last);
    for (const minute of minutesDue({ startedMs, charged, endMs })) due.push({ minute, device });
  }
  due.sort((a, b) => a.minute - b.minute || (a.device._id < b.device._id ? -1 : 1));
  return due.map(({ minute, device }) => minutePosting(device, minute));
}

interface KnownRun {
  device: DeviceDocument;
  startedMs: number;
  /** Until when its phone is known to run, or when the run ended. */
  endMs: number;
}

async function knownRuns(
  { hosts, hostId, isDoubtful, clock }: AccountNowParts,
  devices: readonly DeviceDocument[],
): Promise<KnownRun[]> {
  const others = devices.some((device) => device.hostId !== hostId);
  const byId = new Map(others ? (await hosts.list()).map((host) => [host._id, host]) : []);
  const nowMs = clock.now();
  return devices.flatMap((device) => {
    if (device.startedAt === undefined || device.lostAt !== undefined) return [];
    let endMs = device.state === 'running' ? nowMs : endOfRun(device, nowMs);
    if (device.hostId === hostId) {
      if (isDoubtful(device)) return [];
    } else {
      const host = byId.get(device.hostId);
      if (host === undefined) return [];
      if (host.leaseUntil.getTime() < nowMs) endMs = Math.min(endMs, host.seenAt.getTime());
    }
    return [{ device, startedMs: device.startedAt.getTime(), endMs }];
  });
}
