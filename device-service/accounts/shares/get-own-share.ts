import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { ApiError, UNAUTHORIZED_MESSAGE } from '../../../kit/errors/api-error.js';
import { enumOf } from '../../../kit/text/wire-words.js';
import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { DeviceStateSchema } from '../../../proto/gen/cloudphone/device/v1/device_pb.js';
import {
  type OwnShare,
  OwnShareSchema,
  ShareAccessSchema,
} from '../../../proto/gen/cloudphone/device/v1/share_service_pb.js';
import { handoverMessage } from '../../record/handover-message.js';
import type { AccountsContext } from '../accounts-context.js';

/** Returns the share whose token the caller uses, and what the share shows of its device. */
export async function getOwnShare({ devices, shares, clock }: AccountsContext, caller: Caller): Promise<OwnShare> {
  const { sharedPhoneId, keyId } = caller;
  if (sharedPhoneId === undefined) {
    throw new ApiError(
      'not_found',
      'You did not come by a share: this is for the tokens of shares, sh_…. GET /v1/devices/{name}/shares lists the shares of a device.',
    );
  }
  const [share, device] = await Promise.all([shares.find(keyId), devices.findById(sharedPhoneId)]);
  // Both existed a moment ago, when the caller was identified.
  if (share === null || device === null || device.gone === true) {
    throw new ApiError('unauthorized', UNAUTHORIZED_MESSAGE);
  }
  return create(OwnShareSchema, {
    id: share._id,
    device: device.name,
    model: device.model,
    state: enumOf(DeviceStateSchema, device.state),
    access: enumOf(ShareAccessSchema, share.access),
    expiresAt: timestampFromDate(share.expiresAt),
    ...(device.handover !== undefined &&
      device.handover.id === share.handoverId && { handover: handoverMessage(device.name, device.handover) }),
    expiresInS: Math.max(0, Math.ceil((share.expiresAt.getTime() - clock.now()) / 1000)),
  });
}
