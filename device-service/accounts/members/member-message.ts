import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type Member, MemberSchema } from '../../../proto/gen/cloudphone/access/v1/member_pb.js';
import type { MemberDocument } from '../../store/members.js';
import type { PersonDocument } from '../../store/people.js';
import { hasSecondFactor } from '../../store/second-factors.js';
import { labelSelector } from '../../../kit/text/label-selector.js';
import { roleOf } from '../callers/role-words.js';

/** Converts a member to the message that the account's people get. */
export function memberMessage(member: MemberDocument, person: PersonDocument): Member {
  return create(MemberSchema, {
    id: member._id,
    email: person.email,
    ...(person.name !== undefined && { name: person.name }),
    role: roleOf(member.role),
    devices: member.devices,
    ...(member.devicesLabel !== undefined && { devicesLabel: labelSelector(member.devicesLabel) }),
    ...(member.seenAt !== undefined && { lastSeenAt: timestampFromDate(member.seenAt) }),
    secondFactor: hasSecondFactor(person),
  });
}
