import type { Client } from '@connectrpc/connect';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../kit/async/clock.js';
import type { Log } from '../../kit/log/log.js';
import { WrongPhone } from '../../phone/link/identity.js';
import type { PhoneService } from '../../proto/gen/cloudphone/device/v1/phone_service_pb.js';
import type { ReportPhone } from '../link/reached-phone.js';

/** A phone is reported at most once in this time, ms: each request to a phone that is gone fails to connect. */
const REPORT_EVERY_MS = 1_000;

/** Most phones whose last report is remembered. */
const MAX_PHONES = 1_000;

/**
 * Reports phones that cannot be reached, or are not the expected ones, to the device service. The device service then inspects these phones
 * at once, before its next regular inspection.
 */
export function createReportPhone({
  devices,
  clock,
  log,
}: {
  devices: Client<typeof PhoneService>;
  clock: Clock;
  log: Log;
}): ReportPhone {
  const reported = new LRUCache<string, true>({
    max: MAX_PHONES,
    ttl: REPORT_EVERY_MS,
    ttlResolution: 0,
    // The cache treats a start time of 0 as missing.
    perf: { now: () => clock.monotonicMs() + 1 },
  });
  return (phoneId, error) => {
    const foundIdentity = error instanceof WrongPhone ? error.foundIdentity : undefined;
    const key = `${phoneId} ${foundIdentity ?? ''}`;
    if (reported.has(key)) return;
    reported.set(key, true);
    log.warn({ phone_id: phoneId, found_identity: foundIdentity, err: error }, 'a phone could not be connected to');
    devices.reportPhone({ phoneId, ...(foundIdentity !== undefined && { foundIdentity }) }).catch((cause: unknown) => {
      // The phone's host also inspects the phone regularly.
      log.warn({ phone_id: phoneId, err: cause }, 'a phone could not be reported to the device service');
    });
  };
}
