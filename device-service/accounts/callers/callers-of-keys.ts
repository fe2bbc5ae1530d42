import { create } from '@bufbuild/protobuf';
import { type Caller, CallerSchema, VisibleSchema } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { MemberRole, Scope } from '../../../proto/gen/cloudphone/api/v1/route_pb.js';
import type { KeyDocument } from '../../store/keys.js';
import type { MemberDocument, MemberStore, RoleWord, VisibleDevices } from '../../store/members.js';
import { labelSelector } from '../../../kit/text/label-selector.js';
import { roleOf } from './role-words.js';

/**
 * Returns keys as callers, by their ids. A key whose member was removed is left out: a removal that a crash broke off has its keys revoked
 * when it is repeated.
 */
export async function callersOfKeys(
  { members }: { members: MemberStore },
  keys: readonly KeyDocument[],
): Promise<Map<string, Caller>> {
  const ids = [...new Set(keys.flatMap(({ memberId }) => memberId ?? []))];
  const known = new Map((ids.length === 0 ? [] : await members.findByIds(ids)).map((member) => [member._id, member]));
  const callers = new Map<string, Caller>();
  for (const key of keys) {
    const member = key.memberId === undefined ? undefined : known.get(key.memberId);
    if (key.memberId === undefined || member !== undefined) callers.set(key._id, callerOfKey(key, member));
  }
  return callers;
}

/** `member` is the one that made the key, with whose role and devices it is limited; undefined: the key belongs to the account. */
function callerOfKey(key: KeyDocument, member: MemberDocument | undefined): Caller {
  const limits = member ?? key.kept;
  return create(CallerSchema, {
    accountId: key.accountId,
    keyId: key._id,
    scope: key.scope === 'read' ? Scope.READ : Scope.CONTROL,
    name: key.name,
    allow: key.allow ?? [],
    ...(key.requestsPerMinute !== undefined && { requestsPerMinute: key.requestsPerMinute }),
    role: limits === undefined ? MemberRole.OWNER : roleOf(limits.role),
    ...(member !== undefined && { memberId: member._id }),
    ...visibleTo(key),
    ...(limits !== undefined && !limits.devices.includes('*') && { within: withinOf(limits) }),
  });
}

/** Returns the fields of a caller that has these devices. */
export function visibleTo({ devices, devicesLabel }: VisibleDevices): Pick<Caller, 'devices' | 'allDevices'> & {
  devicesLabel?: string;
} {
  return {
    devices: devices.filter((name) => name !== '*'),
    allDevices: devices.includes('*'),
    ...(devicesLabel !== undefined && { devicesLabel: labelSelector(devicesLabel) }),
  };
}

function withinOf({ devices, devicesLabel }: { role: RoleWord } & VisibleDevices) {
  return create(VisibleSchema, {
    names: devices,
    ...(devicesLabel !== undefined && { label: labelSelector(devicesLabel) }),
  });
}
