import { createId } from '../../../kit/text/ids.js';
import { identityId } from '../../store/identities.js';
import { accountMadeFor, type PersonDocument } from '../../store/people.js';
import type { AccountsContext } from '../accounts-context.js';
import { removeAllFactors } from '../factors/remove-factor.js';
import { removeWithoutAccount } from '../people/remove-without-account.js';
import { findPerson } from '../people/find-person.js';
import type { Claims } from './claims.js';
import type { OidcConfig } from './oidc-config.js';
import { SignInFailure } from './sign-in-failure.js';

/**
 * Returns the person of an identity, by issuer and subject. Someone new is made, without a password, where groups give a role.
 *
 * An address proves nothing by itself. One that the provider has not verified makes nobody. One that a person here has already is linked
 * only once the operator has allowed it, as a stranger may have signed up with it. What was set up before anybody proved the address then
 * goes. Throws SignInFailure.
 */
export async function personOf(
  context: AccountsContext,
  { issuer, trustsEmails }: Pick<OidcConfig, 'issuer' | 'trustsEmails'>,
  { subject, email, emailVerified, name }: Claims,
  hasRole: boolean,
): Promise<PersonDocument> {
  const { identities, people, clock } = context;
  const _id = identityId(issuer, subject);
  const identity = await identities.find(_id);
  if (identity !== null) {
    const person = await people.find(identity.personId);
    if (person !== null) return person;
    await identities.remove(identity);
  }
  if (email === undefined || !(emailVerified || trustsEmails)) throw new SignInFailure('email_unverified');
  const known = await findPerson(context, email);
  const isFree = known === null || (await removeWithoutAccount(context, known._id));
  if (isFree && !hasRole) throw new SignInFailure('no_account');
  const createdAt = new Date(clock.now());
  const made: PersonDocument = {
    _id: createId('per', clock.now()),
    email,
    ...(name !== undefined && { name }),
    createdAt,
  };
  if (isFree && !(await people.insert(made))) throw new SignInFailure('address_taken');
  if (!isFree) {
    if (!(await people.claimProvider(known._id))) throw new SignInFailure('address_taken');
    // After a crash in between, the operator allows it once more, and the rest is removed then.
    if (known.verifiedAt === undefined) await removeUnproven(context, known);
    if (emailVerified) await people.setVerified(known._id, createdAt);
  }
  const person = isFree ? made : known;
  if (await identities.insert({ _id, issuer, subject, personId: person._id, createdAt })) return person;
  // Two sign-ins of the person at the same time: the other one was first.
  const first = await identities.find(_id);
  const winner = first === null ? null : await people.find(first.personId);
  if (winner === null) throw new SignInFailure('address_taken');
  return winner;
}

/** Removes the password, the second factors and the sessions of a person whose address nobody has proved. */
async function removeUnproven(context: AccountsContext, person: PersonDocument): Promise<void> {
  const { accounts, people } = context;
  // The password beside the account would come back with the person (adopt-owners.ts).
  await accounts.removePassword(accountMadeFor(person._id));
  await people.removePassword(person._id);
  await removeAllFactors(context, person);
}
