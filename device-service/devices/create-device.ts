import { ApiError } from '../../kit/errors.js';
import { createId, randomText } from '../../kit/ids.js';
import { wordOf } from '../../kit/wire-words.js';
import type { PhoneModel } from '../../phone/driver.js';
import type { Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { ExitTypeSchema, PlanSchema } from '../../proto/gen/cloudphone/device/v1/device_pb.js';
import type { CreateDeviceRequest } from '../../proto/gen/cloudphone/device/v1/device_service_pb.js';
import { type CreationPaymentParts, keepPayment, payForCreation } from '../billing/creation-payment.js';
import type { HostChooser } from '../hosts/host-chooser.js';
import type { ChosenIds } from '../idempotency/once.js';
import { type JobParts, newJob } from '../jobs/accept-job.js';
import type { ExitProvider } from '../network/exits.js';
import type { PlanWord } from '../store/device-document.js';
import { type DeviceDocument, nameKey } from '../store/devices.js';
import type { JobStore } from '../store/jobs.js';
import { noMinutes } from './running-minutes.js';

export interface CreateDeviceParts extends JobParts, CreationPaymentParts {
  jobs: JobStore;
  models: readonly PhoneModel[];
  exits: ExitProvider;
  hosts: HostChooser;
  driver: string;
}

/** How often a made-up name may turn out to be taken before something else must be wrong. */
const NAME_TRIES = 5;

/**
 * Creates a device from a model, a network and a plan. The money is seen to first; then one insert makes the device together with its
 * create job, and the rest is the job's work.
 *
 * With `ids` (chosen for an Idempotency-Key) it is safe to do again after a crash anywhere: the charge is known by the phone id, and
 * a device that was made is found.
 */
export async function createDevice(
  parts: CreateDeviceParts,
  caller: Caller,
  request: CreateDeviceRequest,
  ids?: ChosenIds,
): Promise<DeviceDocument> {
  const made = ids === undefined ? null : await findMade(parts, ids);
  if (made !== null) return made;
  const draft = await draftDevice(parts, caller, request, ids);
  const payment = await payForCreation(parts, draft, {
    start: request.start ?? true,
    ...(ids !== undefined && { reservedMs: ids.keptMs }),
  });
  for (let tries = 0; tries < NAME_TRIES; tries++) {
    const device = tries === 0 ? draft : named(draft, madeUpName());
    if (await parts.devices.insert(device)) {
      parts.worker.begin(device);
      return device;
    }
    // The insert is refused for its name, or because an earlier try made this very device.
    const made = await parts.devices.findById(device._id);
    if (made !== null) {
      // Its job may have done so before this try reserved it anew.
      await keepPayment(parts, made);
      return made;
    }
    if (request.name !== undefined) break;
  }
  await payment.giveBack();
  throw new ApiError(
    'bad_request',
    `name: "${draft.name}" is taken by another device of this account. Choose another.`,
  );
}

/** What an earlier try made. Throws not_found when it has been deleted since: making it once more would be a second device. */
async function findMade({ devices, jobs }: CreateDeviceParts, ids: ChosenIds): Promise<DeviceDocument | null> {
  const device = await devices.findById(ids.phoneId);
  if (device !== null && device.gone !== true) return device;
  if (device === null && (await jobs.find(ids.jobId)) === null) return null;
  throw new ApiError('not_found', 'The device that this request made has been deleted since.');
}

async function draftDevice(
  parts: CreateDeviceParts,
  caller: Caller,
  request: CreateDeviceRequest,
  ids: ChosenIds | undefined,
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
  const name = request.name ?? madeUpName();
  const job = newJob(parts, hostId, { kind: 'create', requestedBy: caller.keyId, startAfter: request.start ?? true });
  return {
    _id: ids?.phoneId ?? createId('ph', nowMs),
    accountId: caller.accountId,
    name,
    nameKey: nameKey(caller.accountId, name),
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
    job: { ...job, ...(ids !== undefined && { id: ids.jobId }) },
  };
}

function madeUpName(): string {
  return `phone-${randomText(6)}`;
}

function named(device: DeviceDocument, name: string): DeviceDocument {
  return { ...device, name, nameKey: nameKey(device.accountId, name) };
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
