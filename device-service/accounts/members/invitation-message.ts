import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type Invitation, InvitationSchema } from '../../../proto/gen/cloudphone/access/v1/member_pb.js';
import type { InvitationDocument } from '../../store/invitations.js';
import { labelSelector } from '../../../kit/text/label-selector.js';
import { roleOf } from '../callers/role-words.js';

/** Converts an invitation to its message. `path` is the path of its link, given only in the response that creates it. */
export function invitationMessage(invitation: InvitationDocument, path?: string): Invitation {
  const { devicesLabel } = invitation;
  return create(InvitationSchema, {
    id: invitation._id,
    email: invitation.email,
    role: roleOf(invitation.role),
    devices: invitation.devices,
    ...(devicesLabel !== undefined && { devicesLabel: labelSelector(devicesLabel) }),
    invitedBy: invitation.invitedBy,
    createdAt: timestampFromDate(invitation.createdAt),
    expiresAt: timestampFromDate(invitation.expiresAt),
    mailed: invitation.mailed,
    ...(path !== undefined && { url: path }),
  });
}
