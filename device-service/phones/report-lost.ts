import type { Clock } from '../../kit/clock.js';
import type { Log } from '../../kit/log.js';
import type { HealthEvents } from '../events/health-events.js';
import { withHealthEvents } from '../health/problem-change.js';
import type { DeviceStore } from '../store/devices.js';
import { type SettleRun, stopped } from '../work/works.js';

export interface ReportLostParts {
  devices: DeviceStore;
  settle: SettleRun;
  healthEvents: HealthEvents;
  clock: Clock;
  log: Log;
}

/** A phone stopped by itself: its device becomes failed, with the reason. One that a job is at work on is that job's business. */
export async function reportLost(
  { devices, settle, healthEvents, clock, log }: ReportLostParts,
  phoneId: string,
  reason: string,
): Promise<void> {
  try {
    const device = await devices.findById(phoneId);
    if (device?.state !== 'running') return;
    const now = clock.now();
    await settle(device, now);
    const message = `The phone stopped by itself (${reason}). Call POST /v1/devices/${device.name}/start to bring it back.`;
    const problem = { kind: 'stopped_by_itself', message, since: new Date(now) };
    const change = withHealthEvents(device, { ...stopped(device, now), state: 'failed', problem }, now);
    if (await devices.changeIdle(device, change)) {
      void healthEvents.tell(phoneId);
      log.warn({ device: device.name, reason }, 'a phone stopped by itself');
    }
  } catch (error) {
    log.error({ phone: phoneId, err: error }, 'could not report a lost phone');
  }
}
