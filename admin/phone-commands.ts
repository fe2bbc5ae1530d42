import {
  ListAllDevicesResponseSchema,
  ListAllJobsResponseSchema,
  MoveDeviceResponseSchema,
  DeleteOwnedDeviceResponseSchema,
  StopOwnedDeviceResponseSchema,
} from '../proto/gen/cloudphone/access/v1/admin_service_pb.js';
import { DeviceStateSchema } from '../proto/gen/cloudphone/device/v1/device_pb.js';
import { JobKindSchema, JobStateSchema } from '../proto/gen/cloudphone/device/v1/job_pb.js';
import { ListRelaysResponseSchema } from '../proto/gen/cloudphone/relay/v1/relay_admin_service_pb.js';
import { formatTimestamp } from '../kit/json/timestamp.js';
import { wordOf } from '../kit/text/wire-words.js';
import { accountWith, everyDevice, MAX_PAGE_ITEMS } from './every-page.js';
import { upgradeImages } from './upgrade-images.js';
import { wordOption } from './options.js';
import { output, tableOf } from './output.js';
import type { Commands } from './services.js';

/** The commands for devices, jobs and relays. */
export const phoneCommands: Commands = {
  'device list': async ({ admin }) => {
    const devices = await everyDevice(admin);
    const rows = devices.map(({ account, host, device }) => [
      account,
      device?.name ?? '',
      wordOf(DeviceStateSchema, device?.state ?? 0),
      device?.model ?? '',
      host,
    ]);
    const heads = ['ACCOUNT', 'DEVICE', 'STATE', 'MODEL', 'HOST'];
    return tableOf(ListAllDevicesResponseSchema, { devices }, heads, rows);
  },

  'device stop': async ({ admin }, { account = '', name = '' }) => {
    const response = await admin.stopOwnedDevice({ email: account, name });
    return output(StopOwnedDeviceResponseSchema, response, `${name} is being stopped, by ${response.job?.id ?? ''}\n`);
  },

  'device delete': async ({ admin }, { account = '', name = '' }) => {
    const response = await admin.deleteOwnedDevice({ email: account, name });
    return output(
      DeleteOwnedDeviceResponseSchema,
      response,
      `${name} is being deleted, by ${response.job?.id ?? ''}\n`,
    );
  },

  'device move': async ({ admin }, { name = '', to = '', account, now }) => {
    const email = account ?? (await accountWith(admin, name));
    const response = await admin.moveDevice({ email, name, to, now: now === 'yes' });
    const text = `${name} moves to ${to}, by ${response.job?.id ?? ''}\n`;
    return output(MoveDeviceResponseSchema, response, text);
  },

  'device upgrade-image': (services, options) => upgradeImages(services, options),

  'job list': async ({ admin }, { state }) => {
    const wanted = state === undefined ? undefined : wordOption(JobStateSchema, 'state', state);
    const response = await admin.listAllJobs({ limit: MAX_PAGE_ITEMS, ...(wanted !== undefined && { state: wanted }) });
    const rows = response.jobs.map(({ account, job }) => [
      account,
      job?.id ?? '',
      wordOf(JobKindSchema, job?.kind ?? 0),
      wordOf(JobStateSchema, job?.state ?? 0),
      job?.device ?? '',
      job?.createdAt === undefined ? '' : formatTimestamp(job.createdAt),
      job?.finishedAt === undefined ? '' : formatTimestamp(job.finishedAt),
      (job?.error?.message ?? '').replace(/\s+/g, ' '),
    ]);
    const heads = ['ACCOUNT', 'JOB', 'KIND', 'STATE', 'DEVICE', 'BEGUN', 'ENDED', 'ERROR'];
    return tableOf(ListAllJobsResponseSchema, response, heads, rows);
  },

  'relay list': async ({ admin, relays: service }) => {
    const { relays } = await service.listRelays({});
    const devices = relays.length === 0 ? [] : await everyDevice(admin);
    const emails = new Map(devices.map(({ accountId, account }) => [accountId, account]));
    const rows = relays.map(({ device, accountId, adb }) => [
      `${adb?.host ?? ''}:${adb?.port ?? ''}`,
      device,
      emails.get(accountId) ?? accountId,
      String(adb?.sessions.length ?? 0),
      adb?.expiresAt === undefined ? '' : formatTimestamp(adb.expiresAt),
    ]);
    return tableOf(ListRelaysResponseSchema, { relays }, ['ADDRESS', 'DEVICE', 'ACCOUNT', 'SESSIONS', 'UNTIL'], rows);
  },
};
