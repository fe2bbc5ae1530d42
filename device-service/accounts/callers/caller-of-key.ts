import { create } from '@bufbuild/protobuf';
import { type Caller, CallerSchema } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { Scope } from '../../../proto/gen/cloudphone/api/v1/route_pb.js';
import type { KeyDocument } from '../../store/keys.js';

export function callerOfKey(key: KeyDocument): Caller {
  return create(CallerSchema, {
    accountId: key.accountId,
    keyId: key._id,
    scope: key.scope === 'read' ? Scope.READ : Scope.CONTROL,
    devices: key.devices.filter((name) => name !== '*'),
    allDevices: key.devices.includes('*'),
  });
}
