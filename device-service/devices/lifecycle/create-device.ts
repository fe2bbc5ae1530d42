import { ApiError } from '../../../kit/errors/api-error.js';
import { wordOf } from '../../../kit/text/wire-words.js';
import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { type ExitChoice, ExitTypeSchema, PlanSchema } from '../../../proto/gen/cloudphone/device/v1/device_pb.js';
import type { CreateDeviceRequest } from '../../../proto/gen/cloudphone/device/v1/device_service_pb.js';
import { type HostModel, type Place, placesFor } from '../hosts/place-phone.js';
import type { ChosenIds } from '../idempotency/once.js';
import { newDeviceApps } from '../library/new-device-apps.js';
import { changedLabels } from '../../record/labels.js';
import type { Exits } from '../network/exits.js';
import type { PlanWord } from '../../store/device-document.js';
import type { DeviceExit } from '../../store/device-exit.js';
import type { DeviceDocument } from '../../store/devices.js';
import { makeDevice } from './make-device.js';
import type { DevicesContext } from '../devices-context.js';

/** Creates a device from a model, a network and a plan. */
export function createDevice(
  context: DevicesContext,
  caller: Caller,
  request: CreateDeviceRequest,
  ids?: ChosenIds,
): Promise<DeviceDocument> {
  const { name, model, network, plan, android, start = true, idleStopS = 0 } = request;
  const labels = changedLabels([], request.labels);
  const design = async () => {
    const [place, ...others] = await placesFor(context, model);
    if (place === undefined) throw new Error('no place');
    const version = findAndroid(place.model, android);
    if (network === undefined) throw new ApiError('bad_request', 'network is missing');
    return {
      name,
      start,
      places: [place, ...others] as const,
      plan: wordOf(PlanSchema, plan) as PlanWord,
      android: version,
      exit: chosenExit(context.exits, place, network),
      job: { kind: 'create' as const, ...(await newDeviceApps(context, caller.accountId, request.apps, { start })) },
      ...(idleStopS > 0 && { idleStopS }),
      ...(labels.length > 0 && { labels }),
    };
  };
  return makeDevice(context, caller, design, ids);
}

/** Returns the exit that a new device gets, as its caller chose it. */
export function chosenExit(exits: Exits, place: Place, { type, country, timezone }: ExitChoice): DeviceExit {
  const word = wordOf(ExitTypeSchema, type);
  if (!place.exit && word !== 'direct') {
    throw new ApiError(
      'bad_request',
      `network.type: "${word}" cannot be had with model "${place.model.model}", whose phones have a network of their own. Only direct can.`,
    );
  }
  return exits.allocate({ type: word, country, ...(timezone !== undefined && { timezone }) }, place);
}

function findAndroid(model: HostModel, wanted: string | undefined): string {
  const version = wanted ?? model.android[0];
  if (version !== undefined && model.android.includes(version)) return version;
  throw new ApiError(
    'bad_request',
    `android: "${version ?? ''}" is not one of ${model.android.join(', ')} for ${model.model}`,
  );
}
