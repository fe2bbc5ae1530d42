import { createClient, type Transport } from '@connectrpc/connect';
import { systemClock } from '../../kit/async/clock.js';
import { ExitType, Plan, DeviceState } from '../../proto/gen/cloudphone/device/v1/device_pb.js';
import { DeviceService } from '../../proto/gen/cloudphone/device/v1/device_service_pb.js';
import type { Job } from '../../proto/gen/cloudphone/device/v1/job_pb.js';
import { JobService } from '../../proto/gen/cloudphone/device/v1/job_service_pb.js';
import { Scope } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import { PhoneService } from '../../proto/gen/cloudphone/device/v1/phone_service_pb.js';
import type { Phones } from './device-process.js';

/** The actions of customers and the faults that meet a device service until it is killed. */
export interface DisturbanceOptions {
  /** The way to the device service that runs now. */
  device: Transport;
  /** A control key of all devices. */
  apiKey: string;
  phones: Phones;
  /** Unused yet, different each time. */
  newName: () => string;
  /** Aborted when it has been killed. */
  killed: AbortSignal;
}

/** Devices that go through all the rounds. */
export const lastingDevices = ['steady-1', 'steady-2', 'sickly-1', 'sickly-2'] as const;

/** Keeps the service busy in every way that makes events. Ends when the service has been killed; fails on any other trouble. */
export async function disturb(options: DisturbanceOptions): Promise<void> {
  const { killed } = options;
  const headers = { authorization: `Bearer ${options.apiKey}` };
  const devices = createClient(DeviceService, options.device);
  const jobs = createClient(JobService, options.device);
  const finished = async ({ job }: { job?: Job | undefined }): Promise<void> => {
    await jobs.getJob({ id: job?.id ?? '', waitS: 20 }, { headers });
  };
  const find = async (name: string) => (await devices.getDevice({ name }, { headers })).device;
  const phoneIdOf = async (name: string): Promise<string> =>
    (await createClient(PhoneService, options.device).identifyPhone({ name, scope: Scope.READ }, { headers })).phoneId;
  const create = (name: string, start: boolean) =>
    devices.createDevice(
      { name, start, model: 'phone-720p', network: { type: ExitType.DIRECT, country: 'us' }, plan: Plan.MINUTE },
      { headers },
    );

  /** Starts, restarts and stops a device. */
  const steady = async (name: string): Promise<void> => {
    const device = await find(name);
    if (device?.job !== undefined) await jobs.getJob({ id: device.job, waitS: 20 }, { headers });
    else if (device?.state !== DeviceState.RUNNING) await finished(await devices.startDevice({ name }, { headers }));
    else {
      await finished(await devices.restartDevice({ name }, { headers }));
      await finished(await devices.stopDevice({ name }, { headers }));
    }
  };

  /** Does not boot, then does, then loses its power. */
  const sickly = async (name: string): Promise<void> => {
    const phoneId = await phoneIdOf(name);
    const device = await find(name);
    if (device?.job !== undefined) await jobs.getJob({ id: device.job, waitS: 20 }, { headers });
    else if (device?.state === DeviceState.RUNNING) {
      await options.phones.trouble(phoneId, { failsToBoot: false, crash: true });
      while ((await find(name))?.state === DeviceState.RUNNING) await systemClock.sleep(5, killed);
    } else {
      await options.phones.trouble(phoneId, { failsToBoot: device?.problem === undefined, crash: false });
      await finished(await devices.startDevice({ name }, { headers }));
    }
  };

  /** Is made, has a problem, and is deleted before anyone may have been notified. */
  const brief = async (): Promise<void> => {
    const name = options.newName();
    await finished(await create(name, true));
    await options.phones.trouble(await phoneIdOf(name), { failsToBoot: false, crash: true });
    while ((await find(name))?.state === DeviceState.RUNNING) await systemClock.sleep(5, killed);
    await finished(await devices.deleteDevice({ name }, { headers }));
  };

  const again = async (work: () => Promise<void>): Promise<void> => {
    try {
      while (!killed.aborted) await work();
    } catch (error) {
      if (!killed.aborted) throw error;
    }
  };
  await Promise.all([
    ...lastingDevices.map((name) => again(() => (name.startsWith('steady') ? steady(name) : sickly(name)))),
    again(brief),
    again(brief),
  ]);
}
