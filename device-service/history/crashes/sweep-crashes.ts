import type { HistoryContext } from '../history-context.js';

/** How many devices are looked up at a time. */
const DEVICES_AT_ONCE = 200;

/** Removes the crashes of devices that are gone, where a crash of the service has left them. */
export async function sweepCrashes(
  { crashes, devices }: Pick<HistoryContext, 'crashes' | 'devices'>,
  signal: AbortSignal,
): Promise<void> {
  const phoneIds = await crashes.phones();
  for (let from = 0; from < phoneIds.length; from += DEVICES_AT_ONCE) {
    signal.throwIfAborted();
    const some = phoneIds.slice(from, from + DEVICES_AT_ONCE);
    const present = new Set((await devices.findByIds(some)).flatMap(({ _id, gone }) => (gone === true ? [] : [_id])));
    for (const phoneId of some) if (!present.has(phoneId)) await crashes.removeOfPhone(phoneId);
  }
}
