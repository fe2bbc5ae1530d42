import { create } from '@bufbuild/protobuf';
import {
  type PhoneExit as PhoneExitMessage,
  PhoneExitSchema,
  type PhoneSpec as PhoneSpecMessage,
  PhoneSpecSchema,
  type PhoneStatus as PhoneStatusMessage,
  PhoneStatusSchema,
} from '../../proto/gen/cloudphone/simulator/v1/simulator_service_pb.js';
import type { PhoneExit, PhoneSpec, PhoneStatus } from '../../phone/driver.js';

/** Turns the driver's description of a phone into the simulator's message. */
export function specMessage({ exit, ...spec }: PhoneSpec): PhoneSpecMessage {
  return create(PhoneSpecSchema, { ...spec, exit: exitMessage(exit) });
}

export function exitMessage(exit: PhoneExit): PhoneExitMessage {
  return create(PhoneExitSchema, { ...exit });
}

export function specOf(message: PhoneSpecMessage | undefined): PhoneSpec {
  if (message === undefined) throw new Error('a phone is missing in the request');
  const { phoneId, name, model, android } = message;
  return { phoneId, name, model, android, exit: exitOf(message.exit) };
}

export function exitOf(message: PhoneExitMessage | undefined): PhoneExit {
  if (message === undefined) throw new Error('an exit is missing in the request');
  const { type, country, timezone, address, forwarder } = message;
  return {
    type,
    country,
    timezone,
    ...(address !== undefined && { address }),
    ...(forwarder !== undefined && { forwarder }),
  };
}

export function statusMessage(phoneId: string, status: PhoneStatus): PhoneStatusMessage {
  return create(PhoneStatusSchema, { phoneId, ...status });
}

export function statusOf(message: PhoneStatusMessage | undefined): PhoneStatus {
  const { state, endpoint, reason, problem } = message ?? {};
  switch (state) {
    case 'absent':
    case 'starting':
      return { state };
    case 'stopped':
      return { state, ...(reason !== undefined && { reason }) };
    case 'running': {
      if (endpoint === undefined) break;
      const { host, port, identity } = endpoint;
      return { state, endpoint: { host, port, identity } };
    }
    case 'broken':
      return { state, problem: problem ?? 'The phone cannot be used.' };
    default:
  }
  throw new Error(`unknown phone state: ${String(state)}`);
}
