import type { DeviceDocument } from '../../store/devices.js';
import type { HostOutage } from '../../store/hosts.js';
import { MINUTE_MS } from './charges.js';

export type FreeParts = Pick<DeviceDocument, 'startedAt' | 'problem' | 'free'>;

/**
 * Returns the minutes that are charged. A minute is free when, at its begin, the customer could not stop the phone, or another phone was at
 * its address. The first minute of a run begins with the run.
 */
export function withoutFree(minutes: readonly number[], device: FreeParts, outages: readonly HostOutage[]): number[] {
  const { startedAt, problem, free = [] } = device;
  const times = [...outages, ...free, ...(problem?.kind === 'identity' ? [{ from: problem.since }] : [])];
  if (times.length === 0) return [...minutes];
  return minutes.filter((minute) => {
    const atMs = Math.max(minute * MINUTE_MS, startedAt?.getTime() ?? 0);
    return times.every(({ from, to }) => atMs < from.getTime() || atMs >= (to?.getTime() ?? Infinity));
  });
}
