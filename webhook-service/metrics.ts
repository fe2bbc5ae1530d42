import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Clock } from '../kit/async/clock.js';
import type { Log } from '../kit/log/log.js';
import { Measurement } from '../kit/ops/measurement.js';
import type { DeliveryStore } from './store/deliveries.js';
import type { AttemptRecord } from './store/delivery-document.js';

export interface WebhookMetrics {
  attempt(record: AttemptRecord): void;
  /** Seconds from an event's publication to the beginning of its first attempt. */
  firstAttempt(delayS: number): void;
}

/** Queue depth and age are read from the database at each scrape, so every instance reports the same. */
export function webhookMetrics(options: {
  metrics: Registry;
  deliveries: DeliveryStore;
  clock: Clock;
  log: Log;
  running: () => number;
}): WebhookMetrics {
  const { metrics, deliveries, clock } = options;
  const registers = [metrics];
  const attempts = new Counter({
    name: 'webhook_attempts_total',
    help: 'Attempts by outcome: delivered, or why not',
    labelNames: ['outcome'],
    registers,
  });
  const durations = new Histogram({
    name: 'webhook_attempt_duration_seconds',
    help: 'Time from the beginning of an attempt to the status of its response or its failure',
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 5, 10],
    registers,
  });
  const delays = new Histogram({
    name: 'webhook_first_attempt_delay_seconds',
    help: 'Time from the publication of an event to its first attempt',
    buckets: [0.005, 0.02, 0.05, 0.2, 1, 5, 30, 300],
    registers,
  });
  const queue = new Measurement({
    ...options,
    name: 'webhook_queue',
    measure: async (signal) => {
      const now = clock.now();
      const { pending, oldestDueAt } = await deliveries.measure(new Date(now), signal);
      return { pending, oldestAgeS: oldestDueAt === undefined ? 0 : (now - oldestDueAt.getTime()) / 1000 };
    },
  });
  queue.gauge({
    name: 'webhook_queue_depth',
    help: 'Deliveries with an attempt to come or under way',
    samples: ({ pending }) => pending,
  });
  queue.gauge({
    name: 'webhook_oldest_due_age_seconds',
    help: 'For how long the oldest delivery without an attempt under way has been due; 0 when there is none',
    samples: ({ oldestAgeS }) => oldestAgeS,
  });
  new Gauge({
    name: 'webhook_attempts_running',
    help: 'Attempts under way in this instance',
    registers,
    collect() {
      this.set(options.running());
    },
  });
  return {
    attempt: ({ error, status, ms }) => {
      const failure = error?.startsWith('status_') === true ? `status_${Math.floor((status ?? 0) / 100)}xx` : error;
      attempts.inc({ outcome: failure ?? 'delivered' });
      durations.observe(ms / 1000);
    },
    firstAttempt: (delayS) => delays.observe(Math.max(0, delayS)),
  };
}
