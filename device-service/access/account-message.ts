import { create } from '@bufbuild/protobuf';
import { formatMoney } from '../../kit/money.js';
import { enumOf } from '../../kit/wire-words.js';
import { type Account, AccountSchema, TrialStateSchema } from '../../proto/gen/cloudphone/access/v1/account_pb.js';
import type { Standing } from '../billing/postings.js';
import type { Prices } from '../billing/prices.js';
import type { Quotas } from '../quotas/quotas.js';
import { quotasMessage } from '../quotas/quotas-message.js';
import type { AccountDocument } from '../store/accounts.js';

/** An account as its owner sees it. */
export async function accountMessage(
  { quotas, prices }: { quotas: Quotas; prices: Prices },
  account: AccountDocument,
  standing: Standing,
): Promise<Account> {
  const { _id, email, trial, creditedAt } = account;
  const used = trial.state === 'active' && standing.trialMinutes >= prices.trialMinutes ? 'used' : trial.state;
  const gone = used === 'used' || (used === 'unused' && creditedAt !== undefined);
  return create(AccountSchema, {
    email,
    balance: formatMoney(standing.balanceMicros),
    trial: {
      state: enumOf(TrialStateSchema, used),
      minutesLeft: gone ? 0 : Math.max(0, prices.trialMinutes - standing.trialMinutes),
    },
    quotas: quotasMessage(await quotas.use(_id), quotas.mostOf(account)),
  });
}
