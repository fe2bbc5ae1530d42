import type { Log } from '../../kit/log.js';
import type { HealthEvents } from '../events/health-events.js';
import { withHealthEvents } from '../health/problem-change.js';
import type { JobParts } from '../jobs/accept-job.js';
import { STEADY_RUN_MS } from '../limits.js';
import { type SettleRun, stopped } from '../work/works.js';
import { bringBack } from './bring-back.js';

export interface ReportLostParts extends JobParts {
  settle: SettleRun;
  healthEvents: HealthEvents;
  log: Log;
}

/**
 * A phone stopped by itself. One that had run for a while is brought back, as after a crash of its host; one that did not last is
 * left as failed, with the reason, so that a phone that cannot live is not started for ever. One that a job is at work on is that
 * job's business.
 */
export async function reportLost(parts: ReportLostParts, phoneId: string, reason: string): Promise<void> {
  const { devices, settle, healthEvents, clock, log } = parts;
  try {
    const device = await devices.findById(phoneId);
    if (device?.state !== 'running' || device.job !== undefined) return;
    const now = clock.now();
    log.warn({ device: device.name, reason }, 'a phone stopped by itself');
    if (now - (device.startedAt?.getTime() ?? now) >= STEADY_RUN_MS) {
      await bringBack(parts, device, now);
      return;
    }
    await settle(device, now);
    const message = `The phone stopped by itself (${reason}). Call POST /v1/devices/${device.name}/start to bring it back.`;
    const problem = { kind: 'stopped_by_itself', message, since: new Date(now) };
    const change = withHealthEvents(device, { ...stopped(device, now), state: 'failed', problem }, now);
    if (await devices.changeIdle(device, change)) void healthEvents.tell(phoneId);
  } catch (error) {
    log.error({ phone: phoneId, err: error }, 'could not report a lost phone');
  }
}
