import type { RoleWord } from '../../store/members.js';

/** Settings of the identity provider. */
export interface OidcConfig {
  /** The issuer, exactly as the provider writes it. */
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Scopes with a space between them. */
  scopes: string;
  /** The claim with the groups. Dots go into objects: `realm_access.roles`. */
  groupsClaim: string;
  roles: readonly GroupRole[];
  /** Whether e-mail addresses are believed without `email_verified`. Only where people cannot choose their own. */
  trustsEmails: boolean;
  /** The address of this service, to which the provider sends browsers back. */
  publicUrl: URL;
}

/** What a group of the provider gives. */
export interface GroupRole {
  group: string;
  /** The e-mail address of the account, in lower case. */
  email: string;
  role: RoleWord;
}

/** Entries of OIDC_ROLES at most. Each sign-in looks their accounts up. */
export const MAX_GROUP_ROLES = 200;

/**
 * Reads `group=account:role`, with commas between entries. Returns the first entry that is none as `fault`. A group's name may have an equals
 * sign, and an address may too, so the last `=` before the address decides.
 */
export function parseGroupRoles(text: string): { roles: GroupRole[]; fault?: string } {
  const roles: GroupRole[] = [];
  for (const entry of text.split(',').map((each) => each.trim())) {
    if (entry === '') continue;
    const [, group, email, role] = /^(.+)=([^\s=:]+@[^\s=:]+):(viewer|operator|admin|owner)$/.exec(entry) ?? [];
    if (group === undefined || email === undefined || role === undefined) return { roles, fault: entry };
    roles.push({ group: group.trim(), email: email.toLowerCase(), role: role as RoleWord });
  }
  return { roles };
}
