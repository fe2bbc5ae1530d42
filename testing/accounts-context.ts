import type { AccountsContext } from '../device-service/accounts/accounts-context.js';
import { DailyUsage } from '../device-service/accounts/billing/daily-usage.js';
import { Ledger } from '../device-service/accounts/billing/ledger.js';
import { DEFAULT_PRICES } from '../device-service/accounts/billing/prices.js';
import { LastUse } from '../device-service/accounts/callers/last-use.js';
import { Passwords } from '../device-service/accounts/people/passwords.js';
import { Throttle } from '../device-service/accounts/people/throttle.js';
import { Quotas } from '../device-service/accounts/quotas/quotas.js';
import type { Stores } from '../device-service/store/stores.js';
import type { Clock } from '../kit/async/clock.js';
import { silentLog } from '../kit/log/log.js';

/** Returns the context of the operations of accounts, for tests of single operations. `more` replaces parts of it. */
export function accountsContext(stores: Stores, clock: Clock, more: Partial<AccountsContext> = {}): AccountsContext {
  return {
    ...stores,
    ledger: new Ledger(stores.entries, clock),
    dailyUsage: new DailyUsage(stores),
    prices: DEFAULT_PRICES,
    quotas: new Quotas(stores, clock, { devices: 0, storageBytes: 0 }),
    payments: undefined,
    mailQueue: undefined,
    mailServer: undefined,
    lastUse: new LastUse(stores, clock, silentLog),
    passwords: new Passwords(),
    throttle: new Throttle(clock),
    publicUrl: undefined,
    secretBox: undefined,
    signUpOpen: true,
    maxKeyRequests: 60,
    passwordSignIn: true,
    oidc: undefined,
    allowPrivateTargets: false,
    forgetCallers: () => undefined,
    onPassword: () => undefined,
    hostId: 'host-1',
    isDoubtful: () => false,
    outages: () => [],
    clock,
    log: silentLog,
    ...more,
  };
}
