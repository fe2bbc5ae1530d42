import type { Schemas } from '../../api/client.ts';
import { devicesField, isSame, type SeenPhones, seenPhonesOf } from '../../parts/seen-phones.ts';
import type { Member } from './members-query.ts';

/** A member while it is edited. */
export interface MemberDraft {
  role: Member['role'];
  seen: SeenPhones;
}

/** Returns the draft of a member as it is. */
export function draftOf(member: Member): MemberDraft {
  return { role: member.role, seen: seenPhonesOf(member) };
}

/** Returns the body that changes a member. It has only what was edited, as others may have changed the rest. */
export function changedMemberBody({ role, seen }: MemberDraft, first: MemberDraft): Schemas['UpdateMemberBody'] {
  return {
    ...(role !== first.role && { role }),
    ...(!isSame(seen, first.seen) && { devices: devicesField(seen) }),
  };
}
