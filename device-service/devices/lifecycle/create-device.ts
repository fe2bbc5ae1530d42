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
import { placesOfTemplate } from '../templates/places-of-template.js';
import { assertTemplateReady, findTemplate } from '../templates/templates.js';
import { type DeviceDesign, makeDevice } from './make-device.js';
import type { DevicesContext } from '../devices-context.js';

/** The part of a device's design that comes from its model or template. */
type Origin = Pick<DeviceDesign, 'places' | 'android' | 'job' | 'storageBytes'>;

/** Creates a device from a model or a template, a network and a plan. */
export function createDevice(
  context: DevicesContext,
  caller: Caller,
  request: CreateDeviceRequest,
  ids?: ChosenIds,
  of?: DeviceDesign['of'],
): Promise<DeviceDocument> {
  const { name, network, plan, start = true, idleStopS = 0 } = request;
  const labels = changedLabels([], request.labels);
  const design = async () => {
    const origin = await originOf(context, caller, request);
    const [place] = origin.places;
    if (network === undefined) throw new ApiError('bad_request', 'network is missing');
    return {
      ...origin,
      name,
      start,
      plan: wordOf(PlanSchema, plan) as PlanWord,
      exit: chosenExit(context.exits, place, network),
      job: { ...origin.job, ...(await newDeviceApps(context, caller.accountId, request.apps, { start })) },
      ...(idleStopS > 0 && { idleStopS }),
      ...(labels.length > 0 && { labels }),
      ...(of !== undefined && { of }),
    };
  };
  return makeDevice(context, caller, design, ids);
}

/** Throws where no device can ever be made by such a request: a value is not on offer. A lack of room or money is no such reason. */
export async function assertCanMake(
  context: DevicesContext,
  caller: Caller,
  request: CreateDeviceRequest,
): Promise<void> {
  try {
    await newDeviceApps(context, caller.accountId, request.apps, { start: true });
    const { places } = await originOf(context, caller, request);
    if (request.network !== undefined) chosenExit(context.exits, places[0], request.network);
  } catch (error) {
    if (!(error instanceof ApiError && error.kind === 'unavailable')) throw error;
  }
}

/** Returns what the device is made from, and the places where it can be. */
function originOf(context: DevicesContext, caller: Caller, request: CreateDeviceRequest): Promise<Origin> {
  const { model, template } = request;
  if ((model === '') === (template === undefined))
    throw new ApiError('bad_request', 'model: exactly one of model and template must be sent');
  return template === undefined ? ofModel(context, request) : ofTemplate(context, caller, template, request);
}

async function ofModel(context: DevicesContext, { model, android }: CreateDeviceRequest): Promise<Origin> {
  const [place, ...others] = await placesFor(context, model);
  if (place === undefined) throw new Error('no place');
  return { places: [place, ...others], android: findAndroid(place.model, android), job: { kind: 'create' } };
}

async function ofTemplate(
  context: DevicesContext,
  caller: Caller,
  name: string,
  { android }: CreateDeviceRequest,
): Promise<Origin> {
  if (android !== undefined)
    throw new ApiError('bad_request', 'android: cannot be sent with template, whose phones have a version already');
  const template = await findTemplate(context, caller, name, 'bad_request');
  assertTemplateReady(template);
  return {
    places: await placesOfTemplate(context, template),
    android: template.android,
    job: { kind: 'create', template: template._id },
    storageBytes: template.sizeBytes ?? 0,
  };
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
