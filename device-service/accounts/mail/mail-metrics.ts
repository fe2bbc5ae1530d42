import { Counter, type Registry } from 'prom-client';
import type { Clock } from '../../../kit/async/clock.js';
import type { Log } from '../../../kit/log/log.js';
import { Measurement } from '../../../kit/ops/measurement.js';
import type { MailKind, MailStore } from '../../store/mails.js';
import { MAX_COUNTED } from './limits.js';

/** How a mail or an attempt ended. `bounded`: it was not queued. `later` and `away`: it is tried again. */
export type MailEnd = 'sent' | 'refused' | 'later' | 'away' | 'given_up' | 'dropped' | 'bounded';

export interface MailMetrics {
  queued(kind: MailKind): void;
  ended(kind: MailKind, outcome: MailEnd): void;
}

const KINDS: readonly MailKind[] = ['reset', 'verification', 'invitation', 'balance', 'low_balance', 'attention'];
const ENDS: readonly MailEnd[] = ['sent', 'refused', 'later', 'away', 'given_up', 'dropped', 'bounded'];

/** The queue is read from the database at each scrape, so every instance reports the same. */
export function mailMetrics(options: { metrics: Registry; mails: MailStore; clock: Clock; log: Log }): MailMetrics {
  const { metrics, mails, clock } = options;
  const registers = [metrics];
  const queued = new Counter({
    name: 'mails_queued_total',
    help: 'Mails that were queued, by kind',
    labelNames: ['kind'],
    registers,
  });
  const attempts = new Counter({
    name: 'mail_attempts_total',
    help: 'Attempts to send mails, and mails that were not queued, by kind and outcome',
    labelNames: ['kind', 'outcome'],
    registers,
  });
  // Each series exists from 0 on, so that the first failure of a kind is an increase and not a new series.
  for (const kind of KINDS) {
    queued.inc({ kind }, 0);
    for (const outcome of ENDS) attempts.inc({ kind, outcome }, 0);
  }
  const queue = new Measurement({
    ...options,
    name: 'mail_queue',
    measure: async (signal) => {
      const { queued: waiting, oldestDueAt } = await mails.measure(MAX_COUNTED, signal);
      return {
        waiting,
        oldestAgeS: oldestDueAt === undefined ? 0 : Math.max(0, clock.now() - oldestDueAt.getTime()) / 1_000,
      };
    },
  });
  queue.gauge({
    name: 'mail_queue_depth',
    help: `Mails that are to be sent, counted up to ${MAX_COUNTED}`,
    samples: ({ waiting }) => waiting,
  });
  queue.gauge({
    name: 'mail_oldest_due_age_seconds',
    help: 'For how long the oldest mail without an attempt under way has been due; 0 when there is none',
    samples: ({ oldestAgeS }) => oldestAgeS,
  });
  return {
    queued: (kind) => queued.inc({ kind }),
    ended: (kind, outcome) => attempts.inc({ kind, outcome }),
  };
}
