import { randomText } from '../../kit/ids.js';
import { ApiError } from '../../kit/errors.js';
import { createId } from '../../kit/ids.js';
import { wordOf } from '../../kit/wire-words.js';
import type { PhoneModel } from '../../phone/driver.js';
import type { Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { ExitTypeSchema, PlanSchema } from '../../proto/gen/cloudphone/device/v1/device_pb.js';
import type { CreateDeviceRequest } from '../../proto/gen/cloudphone/device/v1/device_service_pb.js';
import type { HostChooser } from '../hosts/host-chooser.js';
import { type JobParts, newJob } from '../jobs/accept-job.js';
import type { ExitProvider } from '../network/exits.js';
import type { PlanWord } from '../store/device-document.js';
import type { DeviceDocument } from '../store/devices.js';
import { noMinutes } from './running-minutes.js';

export interface CreateDeviceParts extends JobParts {
  models: readonly PhoneModel[];
  exits: ExitProvider;
  hosts: HostChooser;
  driver: string;
}

/** How often a made-up name may turn out to be taken before something else must be wrong. */
const NAME_TRIES = 5;

/**
 * Creates a device from a model, a network and a plan. The one insert makes the device together with its create job; the rest is
 * the job's work.
 */
export async function createDevice(
  parts: CreateDeviceParts,
  caller: Caller,
  request: CreateDeviceRequest,
): Promise<DeviceDocument> {
  const model = findModel(parts.models, request.model);
  const android = findAndroid(model, request.android);
  const network = request.network;
  if (network === undefined) throw new ApiError('bad_request', 'network is missing');
  const exit = parts.exits.allocate({
    type: wordOf(ExitTypeSchema, network.type),
    country: network.country,
    ...(network.timezone !== undefined && { timezone: network.timezone }),
  });
  const hostId = await parts.hosts.choose(model);
  const nowMs = parts.clock.now();

  for (let tries = 0; tries < NAME_TRIES; tries++) {
    const name = request.name ?? `phone-${randomText(6)}`;
    const device: DeviceDocument = {
      _id: createId('ph', nowMs),
      accountId: caller.accountId,
      name,
      nameKey: `${caller.accountId}/${name}`,
      createdBy: caller.keyId,
      hostId,
      driver: parts.driver,
      model: model.model,
      android,
      plan: wordOf(PlanSchema, request.plan) as PlanWord,
      exit,
      screen: model.screen,
      state: 'creating',
      generation: 0,
      minutes: noMinutes(nowMs),
      createdAt: new Date(nowMs),
      job: newJob(parts, hostId, { kind: 'create', requestedBy: caller.keyId, startAfter: request.start ?? true }),
    };
    if (await parts.devices.insert(device)) {
      parts.worker.begin(device);
      return device;
    }
    if (request.name !== undefined) break;
  }
  throw new ApiError(
    'bad_request',
    `name: "${request.name ?? ''}" is taken by another device of this account. Choose another.`,
  );
}

function findModel(models: readonly PhoneModel[], wanted: string): PhoneModel {
  const model = models.find((candidate) => candidate.model === wanted);
  if (model !== undefined) return model;
  const names = models.map((candidate) => candidate.model).join(', ');
  throw new ApiError('bad_request', `model: "${wanted}" is not one of ${names} (GET /v1/models)`);
}

function findAndroid(model: PhoneModel, wanted: string | undefined): string {
  const version = wanted ?? model.android[0];
  if (version !== undefined && model.android.includes(version)) return version;
  throw new ApiError(
    'bad_request',
    `android: "${version ?? ''}" is not one of ${model.android.join(', ')} for ${model.model}`,
  );
}
