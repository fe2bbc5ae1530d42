import { ApiError } from '../../kit/errors.js';
import type { Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { findVisibleDevice } from '../access/visibility.js';
import type { ShareParts } from './create-share.js';
import { hasExpired } from './caller-of-share.js';

/** Ends a share of a device for good. It is refused from here on, wherever it is used. */
export async function deleteShare(
  { devices, shares, clock, forgetCallers }: ShareParts & { forgetCallers: () => void },
  caller: Caller,
  { name, id }: { name: string; id: string },
): Promise<void> {
  const { _id } = await findVisibleDevice(devices, caller, name);
  const share = await shares.find(id);
  if (share?.phoneId !== _id || !(await shares.remove(_id, id)) || hasExpired(share, clock)) {
    throw new ApiError(
      'not_found',
      `The device "${name}" has no share "${id}". GET /v1/devices/${name}/shares lists those that have not ended.`,
    );
  }
  forgetCallers();
}
