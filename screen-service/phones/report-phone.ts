import type { Client } from '@connectrpc/connect';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../kit/clock.js';
import type { Log } from '../../kit/log.js';
import { WrongPhone } from '../../phone/link/identity.js';
import type { PhoneService } from '../../proto/gen/cloudphone/device/v1/phone_service_pb.js';

/** Reports that connecting to a phone failed with `error`. Returns at once. */
export type ReportPhone = (phoneId: string, error: unknown) => void;

/** A phone is reported at most once in this time, ms: each request to a phone that is gone fails to connect. */
const REPORT_EVERY_MS = 1_000;

/** Most phones whose last report is remembered. */
const PHONES_MOST = 1_000;

/**
 * Reports phones that cannot be reached, or are not the expected ones, to the device service, which then inspects them at once
 * and not only at its next regular inspection.
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
    max: PHONES_MOST,
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
      // Its host also inspects it regularly.
      log.warn({ phone_id: phoneId, err: cause }, 'a phone could not be reported to the device service');
    });
  };
}
