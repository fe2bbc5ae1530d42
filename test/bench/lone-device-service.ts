import { createClient } from '@connectrpc/connect';
import { Registry } from 'prom-client';
import { createDeviceService } from '../../device-service/service.js';
import { systemClock } from '../../kit/async/clock.js';
import { silentLog } from '../../kit/log/log.js';
import { joinInMemory } from '../../kit/rpc/transport.js';
import type { PhoneDriver } from '../../phone/driver.js';
import { ExitType, Plan } from '../../proto/gen/cloudphone/device/v1/device_pb.js';
import { DeviceService } from '../../proto/gen/cloudphone/device/v1/device_service_pb.js';
import type { Job } from '../../proto/gen/cloudphone/device/v1/job_pb.js';
import { JobService } from '../../proto/gen/cloudphone/device/v1/job_service_pb.js';
import { openTemporaryDatabase } from '../temporary-database.js';
import { undoLater } from './interrupt.js';

/** A device service on a database of its own, called in memory with the first account's key. Closed at the end of the bench. */
export async function startLoneDeviceService(driver: PhoneDriver) {
  const temporary = await openTemporaryDatabase();
  undoLater(() => temporary.close());
  const { database } = temporary;
  const service = await createDeviceService({
    clock: systemClock,
    log: silentLog,
    metrics: new Registry(),
    database,
    drivers: [driver],
    hostId: 'bench',
    meshToken: undefined,
  });
  undoLater(() => service.close());
  const key = (await service.createFirstAccount('bench@localhost'))?.apiKey ?? '';
  const call = { headers: { authorization: `Bearer ${key}` } };
  const transport = joinInMemory(service.rpc, undefined);
  const devices = createClient(DeviceService, transport);
  const jobs = createClient(JobService, transport);
  /** Waits until a job has ended, and returns it. */
  const finished = async (id: string | undefined): Promise<Job | undefined> =>
    (await jobs.getJob({ id: id ?? '', waitS: 30 }, call)).job;
  return {
    database,
    transport,
    call,
    devices,
    finished,
    /** Creates a device and waits until it is made. */
    create: async (name: string, options: { start: boolean }): Promise<void> => {
      const network = { type: ExitType.DIRECT, country: 'us' };
      const request = { name, model: 'phone-720p', network, plan: Plan.MINUTE, ...options };
      const { job } = await devices.createDevice(request, call);
      await finished(job?.id);
    },
  };
}
