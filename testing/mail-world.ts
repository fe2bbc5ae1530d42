import { Registry } from 'prom-client';
import type { AccountsContext } from '../device-service/accounts/accounts-context.js';
import { DueMails } from '../device-service/accounts/mail-flows/due-mails.js';
import { type MailMetrics, mailMetrics } from '../device-service/accounts/mail/mail-metrics.js';
import { MailQueue } from '../device-service/accounts/mail/mail-queue.js';
import type { SmtpConfig } from '../device-service/accounts/mail/mail-settings.js';
import { openSmtp } from '../device-service/accounts/mail/open-smtp.js';
import { createAccount } from '../device-service/accounts/people/sign-up.js';
import { openStores, type Stores } from '../device-service/store/stores.js';
import { type Clock, systemClock } from '../kit/async/clock.js';
import { silentLog } from '../kit/log/log.js';
import { Wakeup } from '../kit/ops/periodic-tasks.js';
import type { SecretBox } from '../kit/text/secret-box.js';
import { openTemporaryDatabase, type TemporaryDatabase } from '../test/temporary-database.js';
import { accountsContext } from './accounts-context.js';
import { FakeClock } from './fake-clock.js';

export const PASSWORD = 'correct horse battery';

/** The queue and the sender of mails over a database, without the rest of the service. */
export interface MailWorld {
  opened: TemporaryDatabase;
  stores: Stores;
  clock: FakeClock;
  queue: MailQueue;
  metrics: Registry;
  context: AccountsContext;
  /** A sender, as another process has it. */
  sender(smtp: Partial<SmtpConfig> & { port: number }, smtpClock?: Clock): Promise<DueMails>;
  /** One round of a sender. */
  round(sender: DueMails): Promise<void>;
  close(): Promise<void>;
}

export async function openMailWorld({ box }: { box?: SecretBox } = {}): Promise<MailWorld> {
  const opened = await openTemporaryDatabase();
  const clock = new FakeClock();
  const stores = await openStores(opened.database, { box, clock, log: silentLog });
  const metrics = new Registry();
  const counts: MailMetrics = mailMetrics({ metrics, mails: stores.mails, clock, log: silentLog });
  const parts = { ...stores, box, metrics: counts, clock, log: silentLog };
  const queue = new MailQueue({ ...parts, sending: new Wakeup() });
  const publicUrl = new URL('https://phones.example.com');
  const context = accountsContext(stores, clock, { mailQueue: queue, publicUrl });
  await createAccount(context, { email: 'ann@example.com', password: PASSWORD });
  return {
    ...{ opened, stores, clock, queue, metrics, context },
    sender: async (smtp, smtpClock = systemClock) => {
      const config = { host: '127.0.0.1', tls: 'never' as const, login: undefined, ca: undefined, ...smtp };
      const from = { name: 'Cloud phones', address: 'phones@example.com' };
      return new DueMails({ ...parts, server: await openSmtp({ smtp: config, from, publicUrl }, smtpClock) });
    },
    round: (sender) => sender.send(new AbortController().signal),
    close: () => opened.close(),
  };
}
