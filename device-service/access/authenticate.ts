import { create } from '@bufbuild/protobuf';
import { ApiError, UNAUTHORIZED_MESSAGE } from '../../kit/errors.js';
import type { Authenticate } from '../../kit/rpc/caller.js';
import { CallerSchema } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { Scope } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import type { KeyStore } from '../store/keys.js';
import { keyDigest, keyTextOf } from './key-text.js';

/** Who an Authorization header stands for. One text for every reason it may be refused, so that nothing can be told from it. */
export function authenticateWith(keys: KeyStore): Authenticate {
  return async (authorization) => {
    const text = keyTextOf(authorization);
    // Looked up by digest: how long a comparison takes tells nothing about a key that is nearly right.
    const key = text === undefined ? null : await keys.findByDigest(keyDigest(text));
    if (key === null) throw new ApiError('unauthorized', UNAUTHORIZED_MESSAGE);
    return create(CallerSchema, {
      accountId: key.accountId,
      keyId: key._id,
      scope: key.scope === 'read' ? Scope.READ : Scope.CONTROL,
      devices: key.devices.filter((name) => name !== '*'),
      allDevices: key.devices.includes('*'),
    });
  };
}
