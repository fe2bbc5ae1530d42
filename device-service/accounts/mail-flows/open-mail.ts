import type { Registry } from 'prom-client';
import type { Clock } from '../../../kit/async/clock.js';
import type { Log } from '../../../kit/log/log.js';
import { type PeriodicTask, Wakeup } from '../../../kit/ops/periodic-tasks.js';
import type { Readiness } from '../../../kit/ops/readiness.js';
import type { SecretBox } from '../../../kit/text/secret-box.js';
import type { Stores } from '../../store/stores.js';
import { DueMails } from './due-mails.js';
import { SEND_EVERY_MS } from '../mail/limits.js';
import { mailMetrics } from '../mail/mail-metrics.js';
import { MailQueue } from '../mail/mail-queue.js';
import type { MailServer } from '../mail/mail-server.js';

export interface MailOptions {
  /** The operator's mail server. Absent: the service sends no mail. */
  mailServer?: MailServer | undefined;
  /** Encrypts secrets in the database. Absent: they are stored as they are. */
  secretBox?: SecretBox | undefined;
  metrics: Registry;
  /** Gets the reason why no mail goes out, for the operator. Absent: it is only logged. */
  readiness?: Readiness;
}

export interface Mail {
  /** Absent: the service sends no mail. */
  queue: MailQueue | undefined;
  maintenance: PeriodicTask[];
}

/** Opens the queue of mails and the work that sends them. */
export function openMail(
  stores: Stores,
  { mailServer: server, secretBox: box, readiness, ...options }: MailOptions & { clock: Clock; log: Log },
): Mail {
  // Without a mail server too, so that every device service has the same metrics.
  const metrics = mailMetrics({ ...options, mails: stores.mails });
  if (server === undefined) return { queue: undefined, maintenance: [] };
  const sending = new Wakeup();
  const parts = { ...stores, box, metrics, clock: options.clock, log: options.log };
  const dueMails = new DueMails({ ...parts, server });
  readiness?.remarks(() => Promise.resolve(dueMails.problems));
  return {
    queue: new MailQueue({ ...parts, sending }),
    maintenance: [
      { name: 'send mails', everyMs: SEND_EVERY_MS, run: (signal) => dueMails.send(signal), wakeup: sending },
    ],
  };
}
