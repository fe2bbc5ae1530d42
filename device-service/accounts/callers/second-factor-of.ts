import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import type { AccountStore } from '../../store/accounts.js';
import type { PersonDocument } from '../../store/people.js';
import { hasSecondFactor } from '../../store/second-factors.js';
import type { SessionDocument } from '../../store/sessions.js';

/** Returns the fields of a session's caller that have to do with second factors, by which routes refuse it (kit/rpc/step-up.ts). */
export async function secondFactorOf(
  accounts: AccountStore,
  { accountId, confirmedAt, createdAt, provider }: SessionDocument,
  person: PersonDocument,
): Promise<Partial<Pick<Caller, 'confirmedAt' | 'lacksSecondFactor'>>> {
  if (hasSecondFactor(person)) return { confirmedAt: timestampFromDate(confirmedAt ?? createdAt) };
  // Who signs in by an identity provider has shown there what it asks for.
  if (provider !== undefined) return {};
  return { lacksSecondFactor: await accounts.requiresSecondFactor(accountId) };
}
