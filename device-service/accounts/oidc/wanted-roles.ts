import type { RoleWord } from '../../store/members.js';
import type { AccountsContext } from '../accounts-context.js';
import type { OidcConfig } from './oidc-config.js';

const ORDER: readonly RoleWord[] = ['viewer', 'operator', 'admin', 'owner'];

/** Returns the role that groups give in each account, by the account's id. Where several groups give one, the highest counts. */
export async function wantedRoles(
  { accounts, log }: AccountsContext,
  { roles }: Pick<OidcConfig, 'roles'>,
  groups: readonly string[],
): Promise<Map<string, RoleWord>> {
  const own = new Set(groups);
  const byEmail = new Map<string, RoleWord>();
  for (const { email, role } of roles.filter(({ group }) => own.has(group))) {
    const known = byEmail.get(email);
    if (known === undefined || ORDER.indexOf(role) > ORDER.indexOf(known)) byEmail.set(email, role);
  }
  const wanted = new Map<string, RoleWord>();
  for (const [email, role] of byEmail) {
    const account = await accounts.findByEmail(email);
    if (account === null) log.warn({ email }, 'OIDC_ROLES names an account that does not exist');
    else wanted.set(account._id, role);
  }
  return wanted;
}
