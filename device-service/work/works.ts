import type { Clock } from '../../kit/clock.js';
import type { PhoneDriver } from '../../phone/driver.js';
import { addRun } from '../devices/running-minutes.js';
import type { Task, Work } from '../jobs/worker.js';
import type { JobKindWord } from '../store/device-document.js';
import type { DeviceChange, DeviceDocument } from '../store/devices.js';

/** Charges the rest of a run that ends at `endMs`. */
export type SettleRun = (device: DeviceDocument, endMs: number) => Promise<void>;

/** Ends the reservation of what was paid for it: the device is made. */
export type KeepPayment = (device: DeviceDocument) => Promise<void>;

/**
 * What each kind of job does to a phone. Drivers do everything idempotently, so after a crash between any two lines the work is
 * simply done again from its beginning.
 */
export function worksWith(
  driver: PhoneDriver,
  clock: Clock,
  settle: SettleRun,
  keepPayment: KeepPayment,
): Record<JobKindWord, Work> {
  const boot = async ({ device, signal, progress }: Task): Promise<DeviceChange> => {
    // A device whose creation failed has no phone yet; for every other one this does nothing.
    await driver.create(phoneOf(device), { signal });
    const address = await driver.start(device._id, { signal, onProgress: progress });
    return { state: 'running', address, startedAt: new Date(clock.now()), problem: null, nextGeneration: true };
  };
  const halt = async ({ device, signal }: Task): Promise<DeviceChange> => {
    await settle(device, endOfRun(device));
    await driver.stop(device._id, 'save', { signal });
    return { ...stopped(device, endOfRun(device)), ...withoutProblem(device) };
  };
  /** A run ends when the job that ends it was accepted: the device left `running` then, and it stays so if the work is done again. */
  const endOfRun = ({ job }: DeviceDocument): number => job?.createdAt.getTime() ?? clock.now();
  return {
    create: async (task) => {
      // Also where who made it was killed before that: once the job is over, the device may be deleted, and would not be found.
      await keepPayment(task.device);
      await driver.create(phoneOf(task.device), { signal: task.signal });
      if (task.device.job?.startAfter !== true) return { state: 'stopped' };
      await task.change({ state: 'starting' });
      return boot(task);
    },
    start: boot,
    stop: halt,
    restart: async (task) => {
      await task.change({ ...(await halt(task)), state: 'starting' });
      return boot(task);
    },
    delete: async ({ device, signal }) => {
      await settle(device, endOfRun(device));
      await driver.delete(device._id, { signal });
      return { ...stopped(device, endOfRun(device)), gone: true };
    },
  };
}

/** A device after its run has ended, with the run's minutes counted. */
export function stopped(device: DeviceDocument, endMs: number): DeviceChange {
  return {
    state: 'stopped',
    address: null,
    startedAt: null,
    ...(device.startedAt !== undefined && { minutes: addRun(device.minutes, device.startedAt.getTime(), endMs) }),
  };
}

/** What was wrong with a running phone is over once it is off; that the balance is used up is not. */
function withoutProblem({ problem }: DeviceDocument): DeviceChange {
  return problem === undefined || problem.kind === 'balance' ? {} : { problem: null };
}

function phoneOf(device: DeviceDocument) {
  return { phoneId: device._id, name: device.name, model: device.model, android: device.android, exit: device.exit };
}
