import type { Clock } from '../../kit/async/clock.js';
import type { Log } from '../../kit/log/log.js';
import type { SecretBox } from '../../kit/text/secret-box.js';
import type { DeviceDocument } from '../store/devices.js';
import type { HostOutage } from '../store/hosts.js';
import type { Stores } from '../store/stores.js';
import type { DailyUsage } from './billing/daily-usage.js';
import type { Ledger } from './billing/ledger.js';
import type { Prices } from './billing/prices.js';
import type { LastUse } from './callers/last-use.js';
import type { MailQueue } from './mail/mail-queue.js';
import type { MailServer } from './mail/mail-server.js';
import type { Oidc } from './oidc/oidc.js';
import type { Passwords } from './people/passwords.js';
import type { Throttle } from './people/throttle.js';
import type { Quotas } from './quotas/quotas.js';
import type { Payments } from './topups/payments.js';

/** What the operations of accounts work with. The contexts of the packages above extend this one. */
export interface AccountsContext extends Stores {
  ledger: Ledger;
  dailyUsage: DailyUsage;
  prices: Prices;
  quotas: Quotas;
  /** The payment provider. Absent: credit cannot be bought online. */
  payments: Payments | undefined;
  /** Takes the mails to people. Absent: the service sends no mail. */
  mailQueue: MailQueue | undefined;
  mailServer: MailServer | undefined;
  lastUse: LastUse;
  passwords: Passwords;
  throttle: Throttle;
  /** Where people reach this service (PUBLIC_URL). Absent: only they know, so there are no passkeys and no mails. */
  publicUrl: URL | undefined;
  /** Encrypts secrets in the database. Absent: they are stored as they are. */
  secretBox: SecretBox | undefined;
  /** Whether anyone may make an account. */
  signUpOpen: boolean;
  /** Whether people may sign in by password. */
  passwordSignIn: boolean;
  /** Sign-in by an identity provider. Absent: there is none. */
  oidc: Oidc | undefined;
  /** Whether webhooks and the proxies of phones may use http and private addresses. */
  allowPrivateTargets: boolean;
  /** The operator's limit of the requests of a key in a minute. */
  maxKeyRequests: number;
  /** Removes all callers that this process remembers, so that a change takes effect at once. */
  forgetCallers: () => void;
  /** Called with the e-mail of an account whose password was replaced. */
  onPassword: (email: string) => void;
  /** The host whose phones this process drives. */
  hostId: string;
  /** Returns whether the run of a device's phone may be over, although the device has it as running. Only for devices of this host. */
  isDoubtful: (device: DeviceDocument) => boolean;
  /** Returns the times in which the phones of this host could not be stopped. */
  outages: () => readonly HostOutage[];
  clock: Clock;
  log: Log;
}
