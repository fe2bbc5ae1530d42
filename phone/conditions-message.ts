import { create } from '@bufbuild/protobuf';
import { type Conditions, ConditionsSchema } from '../proto/gen/cloudphone/device/v1/conditions_pb.js';
import type { PhoneConditions } from './conditions.js';

/** Returns conditions as a message; undefined where all are the phone's own. */
export function conditionsMessage(conditions: PhoneConditions | undefined): Conditions | undefined {
  if (conditions === undefined || Object.keys(conditions).length === 0) return undefined;
  const { location, battery, network } = conditions;
  return create(ConditionsSchema, {
    ...(location !== undefined && { location }),
    ...(battery !== undefined && { battery }),
    ...(network !== undefined && { network: { ...network } }),
  });
}

/**
 * Returns the conditions of a message. A location without coordinates, a battery without a level, and a network without latency, loss and
 * rate are left out, so the phone's own apply.
 */
export function conditionsOf(
  message: Pick<Conditions, 'location' | 'battery' | 'network'> | undefined,
): PhoneConditions {
  const { location, battery, network } = message ?? {};
  const { latitude, longitude, altitude, accuracy } = location ?? {};
  const { level, charging = false } = battery ?? {};
  const { latencyMs = 0, loss = 0, kbps } = network ?? {};
  return {
    ...(latitude !== undefined &&
      longitude !== undefined && {
        location: {
          latitude,
          longitude,
          ...(altitude !== undefined && { altitude }),
          ...(accuracy !== undefined && { accuracy }),
        },
      }),
    ...(level !== undefined && { battery: { level, charging } }),
    ...((latencyMs > 0 || loss > 0 || kbps !== undefined) && {
      network: { latencyMs, loss, ...(kbps !== undefined && { kbps }) },
    }),
  };
}
