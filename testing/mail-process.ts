import { Registry } from 'prom-client';
import { DueMails } from '../device-service/accounts/mail-flows/due-mails.js';
import { mailMetrics } from '../device-service/accounts/mail/mail-metrics.js';
import { MailQueue } from '../device-service/accounts/mail/mail-queue.js';
import { openSmtp } from '../device-service/accounts/mail/open-smtp.js';
import { openStores } from '../device-service/store/stores.js';
import { startEmbeddedMongo } from '../embedded-mongo/embedded-mongo.js';
import { type Clock, systemClock } from '../kit/async/clock.js';
import { connectMongo } from '../kit/db/mongo.js';
import { silentLog } from '../kit/log/log.js';
import { Wakeup } from '../kit/ops/periodic-tasks.js';

/**
 * Queues mails and sends them as fast as it can, until it is killed. It reports each mail to the parent once the queue has it. For
 * test/crash/mails.long.test.ts.
 *
 * Arguments: the folder of the database, the port of the mail server, how far its clock is ahead in ms, and how many mails it queues.
 */
const [directory = '', port = '', aheadMs = '', count = ''] = process.argv.slice(2);
const clock: Clock = { ...systemClock, now: () => systemClock.now() + Number(aheadMs) };
const server = await startEmbeddedMongo({ directory, log: silentLog });
const { database } = await connectMongo({ url: server.url, log: silentLog });
const stores = await openStores(database, { clock, log: silentLog });
const metrics = mailMetrics({ metrics: new Registry(), mails: stores.mails, clock, log: silentLog });
const parts = { ...stores, box: undefined, metrics, clock, log: silentLog };
const queue = new MailQueue({ ...parts, sending: new Wakeup() });
const smtp = { host: '127.0.0.1', port: Number(port), tls: 'never' as const, login: undefined, ca: undefined };
const from = { name: '', address: 'phones@example.com' };
const mailServer = await openSmtp({ smtp, from, publicUrl: new URL('https://phones.example.com') }, clock);
const dueMails = new DueMails({ ...parts, server: mailServer });
const createdAt = new Date(clock.now());
// Each run has an account of its own, as 100 mails a day would be few for all runs.
const accountId = `acc_${aheadMs}`;
await stores.accounts.insert({
  _id: accountId,
  email: `${aheadMs}@example.com`,
  createdAt,
  trial: { state: 'unused' },
});

async function queueMails(): Promise<void> {
  for (let at = 0; at < Number(count); at++) {
    const about = `${aheadMs}.${at}`;
    const mail = { kind: 'attention', to: 'ann@example.com', accountId, data: { device: `<${about}>` } } as const;
    if ((await queue.add({ ...mail, once: { about, windowMs: 3_600_000 } })) === 'queued') process.send?.(about);
  }
}

await Promise.all([
  queueMails(),
  (async () => {
    for (;;) {
      await dueMails.send(new AbortController().signal);
      await systemClock.sleep(5);
    }
  })(),
]);
