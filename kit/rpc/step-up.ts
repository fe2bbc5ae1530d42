import { timestampMs } from '@bufbuild/protobuf/wkt';
import type { Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import type { Route } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import { ApiError } from '../errors/api-error.js';

/** How long a sign-in or confirmation is good for the calls that ask for one, ms. */
const CONFIRMED_MS = 10 * 60_000;

/**
 * Throws forbidden where the route asks for a recent confirmation, and the last one of the person is too old. People without a second factor
 * and keys are not asked. The edge and every service call it.
 */
export function assertConfirmed(
  { confirmedAt }: Pick<Caller, 'confirmedAt'>,
  { confirmed }: Pick<Route, 'confirmed'>,
  nowMs: number,
): void {
  if (!confirmed || confirmedAt === undefined || nowMs - timestampMs(confirmedAt) <= CONFIRMED_MS) return;
  throw new ApiError('forbidden', 'Confirm that it is you: POST /v1/session/confirm.');
}

/** Throws forbidden where the account requires a second factor, the person has none, and the route is none of those that help. */
export function assertSecondFactor(
  { lacksSecondFactor }: Pick<Caller, 'lacksSecondFactor'>,
  { withoutSecondFactor }: Pick<Route, 'withoutSecondFactor'>,
): void {
  if (!lacksSecondFactor || withoutSecondFactor) return;
  throw new ApiError(
    'forbidden',
    'This account requires a second factor, and you have none. Set one up: POST /v1/account/second-factors.',
  );
}
