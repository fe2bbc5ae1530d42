import type { DeviceDocument } from '../device-service/store/devices.js';

/** A device of `acc_1` on `host-1`, stopped, with the fields of `more` in place of its own. */
export function deviceDocument(more: Partial<DeviceDocument> = {}): DeviceDocument {
  return {
    _id: 'ph_1',
    accountId: 'acc_1',
    name: 'one',
    nameKey: 'acc_1/one',
    createdBy: 'key_1',
    hostId: 'host-1',
    fence: 1,
    driver: 'simulated',
    model: 'phone-720p',
    android: '14',
    plan: 'minute',
    exit: { type: 'direct', country: 'us', timezone: 'America/New_York' },
    screen: { width: 720, height: 1280, density: 320 },
    wanted: 'stopped',
    state: 'stopped',
    made: true,
    generation: 1,
    minutes: { day: '2026-01-01', count: 0, through: 0 },
    createdAt: new Date(),
    ...more,
  };
}

/** Returns the document of a device that runs. */
export function runningDocument(more: Partial<DeviceDocument> = {}): DeviceDocument {
  return deviceDocument({
    wanted: 'running',
    state: 'running',
    endpoint: { host: '127.0.0.1', port: 1, identity: 'SERIAL/1' },
    startedAt: new Date(),
    ...more,
  });
}
