import { create } from '@bufbuild/protobuf';
import { formatMoney } from '../../../kit/text/money.js';
import { enumOf } from '../../../kit/text/wire-words.js';
import {
  type Account,
  AccountSchema,
  type AccountSettings,
  AccountSettingsSchema,
  type Quotas,
  QuotasSchema,
  TrialStateSchema,
} from '../../../proto/gen/cloudphone/access/v1/account_pb.js';
import type { Standing } from '../billing/postings.js';
import { type QuotaSettings, type QuotaUse, storedBytes } from '../quotas/quotas.js';
import type { AccountDocument } from '../../store/accounts.js';
import type { AccountsContext } from '../accounts-context.js';

/** Returns an account as its owner sees it. */
export async function accountMessage(
  { quotas, prices }: AccountsContext,
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
    quotas: quotasMessage(await quotas.use(_id), quotas.maxOf(account)),
  });
}

function quotasMessage(use: QuotaUse, most: QuotaSettings): Quotas {
  return create(QuotasSchema, {
    devices: { used: use.devices, ...bound(most.devices) },
    storageBytes: { used: storedBytes(use), ...bound(most.storageBytes) },
  });
}

function bound(most: number): { most?: number } {
  return most === 0 ? {} : { most };
}

/** Returns what the owners and admins of an account chose. */
export function settingsMessage({ requireSecondFactor = false, mail }: AccountDocument): AccountSettings {
  return create(AccountSettingsSchema, {
    requireSecondFactor,
    mail: { balance: mail?.balance ?? true, attention: mail?.attention ?? true },
  });
}
