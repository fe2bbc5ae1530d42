import { endOfRun } from '../../record/device-run.js';
import type { DeviceDocument } from '../../store/devices.js';
import type { HostOutage } from '../../store/hosts.js';
import type { LedgerEntry } from '../../store/ledger.js';
import { lastCharged, minuteDedupe, minuteOf, minutePosting, minutePrice, minutesDue } from './charges.js';
import { withoutFree } from './free-minutes.js';
import type { Posting, Standing } from './postings.js';
import type { AccountsContext } from '../accounts-context.js';

export interface AccountNow {
  standing: Standing;
  /** Number of the last line of the ledger; 0 when there is none. */
  seq: number;
  /** The lines that the meter adds next. */
  begun: readonly LedgerEntry[];
}

/** How often the account is read again because its ledger grew meanwhile. After that, a minute may be shown twice, or not yet. */
const READ_TRIES = 5;

/**
 * Returns an account as it is at this moment: its ledger, and the minutes that have begun since the meter last ran. It writes nothing, as
 * only the meter of a phone's host can know that the phone runs. While a host is away, the minutes of its phones count up to when it was
 * last heard of.
 */
export async function accountNow(context: AccountsContext, accountId: string): Promise<AccountNow> {
  const { accounts, entries, ledger, prices } = context;
  for (let tries = 1; ; tries++) {
    const [last, account] = await Promise.all([entries.findLast(accountId), accounts.find(accountId)]);
    const runs = await knownRuns(context, await context.devices.findRuns(accountId));
    const postings = await begunMinutes(context, runs);
    // The meter may have charged minutes meanwhile, which are then neither in `last` nor in `postings`.
    if (runs.length > 0 && tries < READ_TRIES && (await entries.findLast(accountId))?.seq !== last?.seq) continue;
    const price = minutePrice(account?.trial ?? { state: 'used' }, prices);
    const { standing, entries: begun } = ledger.preview(accountId, last, postings, price);
    return { standing, seq: last?.seq ?? 0, begun };
  }
}

/** Returns the begun minutes of the runs that are not charged yet, in the order in which they will be charged. */
async function begunMinutes({ entries }: AccountsContext, runs: readonly KnownRun[]): Promise<Posting[]> {
  const written = await entries.findWritten(runs.map(({ device, endMs }) => minuteDedupe(device._id, minuteOf(endMs))));
  const due: { minute: number; device: DeviceDocument }[] = [];
  for (const { device, startedMs, endMs, outages } of runs) {
    const last = minuteOf(endMs);
    if (written.has(minuteDedupe(device._id, last))) continue;
    const charged = minuteOf(startedMs) === last ? 0 : await lastCharged(entries, device._id, last);
    const minutes = withoutFree(minutesDue({ startedMs, charged, endMs }), device, outages);
    for (const minute of minutes) due.push({ minute, device });
  }
  due.sort((a, b) => a.minute - b.minute || (a.device._id < b.device._id ? -1 : 1));
  return due.map(({ minute, device }) => minutePosting(device, minute));
}

interface KnownRun {
  device: DeviceDocument;
  startedMs: number;
  /** The time up to which the phone is known to run, or at which the run ended. */
  endMs: number;
  /** The outages of the phone's host. */
  outages: readonly HostOutage[];
}

async function knownRuns(
  { hosts, hostId, isDoubtful, outages: own, clock }: AccountsContext,
  devices: readonly DeviceDocument[],
): Promise<KnownRun[]> {
  const others = devices.some((device) => device.hostId !== hostId);
  const byId = new Map(others ? (await hosts.list()).map((host) => [host._id, host]) : []);
  const nowMs = clock.now();
  return devices.flatMap((device) => {
    if (device.startedAt === undefined || device.lostAt !== undefined) return [];
    let outages = own();
    let endMs = device.state === 'running' ? nowMs : endOfRun(device, nowMs);
    if (device.hostId === hostId) {
      if (isDoubtful(device)) return [];
    } else {
      const host = byId.get(device.hostId);
      if (host === undefined) return [];
      outages = host.outages ?? [];
      if (host.leaseUntil.getTime() < nowMs) endMs = Math.min(endMs, host.seenAt.getTime());
    }
    return [{ device, startedMs: device.startedAt.getTime(), endMs, outages }];
  });
}
