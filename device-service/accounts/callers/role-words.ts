import { enumOf, wordOf } from '../../../kit/text/wire-words.js';
import { type MemberRole, MemberRoleSchema } from '../../../proto/gen/cloudphone/api/v1/route_pb.js';
import type { RoleWord } from '../../store/members.js';

export function roleOf(word: RoleWord): MemberRole {
  return enumOf(MemberRoleSchema, word);
}

export function roleWord(role: MemberRole): RoleWord {
  return wordOf(MemberRoleSchema, role) as RoleWord;
}
