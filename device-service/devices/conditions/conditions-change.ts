import { ApiError } from '../../../kit/errors/api-error.js';
import { CONDITION_WORDS, type PhoneConditions } from '../../../phone/conditions.js';
import { conditionsOf } from '../../../phone/conditions-message.js';
import type { UpdateConditionsRequest } from '../../../proto/gen/cloudphone/device/v1/device_service_pb.js';
import { conditionSupport } from '../hosts/place-phone.js';
import type { DeviceDocument } from '../../store/devices.js';
import type { ConditionsChange } from '../../store/device-settings.js';
import type { DevicesContext } from '../devices-context.js';

/** Returns the change that a request makes. Members of the request are set; a member without any field is removed. */
export function conditionsChange(request: UpdateConditionsRequest): ConditionsChange {
  const named = CONDITION_WORDS.filter((word) => request[word] !== undefined);
  const set = conditionsOf(request);
  return Object.fromEntries(named.map((word) => [word, set[word] ?? null]));
}

/** Returns the conditions after a change. */
export function changedConditions(conditions: PhoneConditions | undefined, change: ConditionsChange): PhoneConditions {
  return Object.fromEntries(Object.entries({ ...conditions, ...change }).filter(([, value]) => value !== null));
}

/** Throws bad_request where phones of the device's model do not offer a condition, or a field of one, that the change sets. */
export async function assertOffered(
  context: DevicesContext,
  device: Pick<DeviceDocument, 'hostId' | 'driver' | 'model'>,
  change: ConditionsChange,
): Promise<void> {
  const { offered, lack } = await conditionSupport(context, device);
  const none = CONDITION_WORDS.find((word) => change[word] !== undefined && !offered.includes(word));
  if (none !== undefined) {
    const those = offered.length === 0 ? 'none' : offered.join(', ');
    throw new ApiError(
      'bad_request',
      `${none}: phones of model "${device.model}" do not offer it. "conditions" of the model in GET /v1/models has: ${those}.`,
    );
  }
  const given = {
    'location.accuracy': change.location?.accuracy !== undefined,
    'network.loss': (change.network?.loss ?? 0) > 0,
  };
  const missing = lack.find((field) => given[field]);
  if (missing === undefined) return;
  throw new ApiError(
    'bad_request',
    `${missing}: phones of model "${device.model}" cannot do this, unlike the rest of "${missing.split('.')[0] ?? ''}". Leave it out.`,
  );
}
