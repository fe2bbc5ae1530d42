import type { PeriodicTask } from '../../../kit/ops/periodic-tasks.js';
import type { FleetContext } from '../fleet-context.js';
import { HANDOVER_WATCH_MS, MAX_HANDOVERS_A_RUN } from '../limits.js';
import { endHandover } from './end-handover.js';

/**
 * Returns the periodic work on the hand-overs of all hosts: it ends those whose time is over. Each process does it; one conditional update
 * ends a hand-over, so the first process does and the others change nothing.
 */
export function handoverMaintenance(context: FleetContext): PeriodicTask[] {
  return [{ name: 'end hand-overs whose time is over', everyMs: HANDOVER_WATCH_MS, run: () => endExpired(context) }];
}

async function endExpired(context: FleetContext): Promise<void> {
  const { devices, clock, log } = context;
  for (const device of await devices.handovers.findOver(new Date(clock.now()), MAX_HANDOVERS_A_RUN)) {
    try {
      await endHandover(context, device, { state: 'expired' }, { ifExpired: true });
    } catch (error) {
      // One device that fails delays no other one.
      log.warn({ device: device.name, err: error }, 'a hand-over could not be ended; trying again');
    }
  }
}
