import { begunAhead } from '../async/begun-ahead.js';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Clock } from '../async/clock.js';
import type { Log } from '../log/log.js';
import { sharedMetric } from './shared-metric.js';
import { within } from '../async/within.js';

export interface MeasurementOptions<T> {
  /** Label of `measurements_failed_total`. */
  name: string;
  /** Takes the measurement; ends when the signal aborts. */
  measure: (signal: AbortSignal) => Promise<T>;
  metrics: Registry;
  clock: Clock;
  log: Log;
}

const FAILURES = 'measurements_failed_total';

/** How long a measurement may take, ms: a scrape waits for it. */
const MEASURE_MS = 1_000;

/**
 * A measurement of the database at each scrape, reported by one or more gauges. It never makes the scrape fail. A measurement that fails or
 * takes too long is counted, and leaves its gauges without a value: an old value would be wrong. Gauges and scrapes at the same time share a
 * measurement.
 */
export class Measurement<T> {
  readonly #options: MeasurementOptions<T>;
  readonly #failures: Counter;
  #running: Promise<T | undefined> | undefined;

  constructor(options: MeasurementOptions<T>) {
    this.#options = options;
    this.#failures = sharedMetric(
      options.metrics,
      FAILURES,
      () =>
        new Counter({
          name: FAILURES,
          help: 'Measurements made for a scrape that failed or took too long; their gauges have no value then',
          labelNames: ['measurement'],
          registers: [options.metrics],
        }),
    );
    this.#failures.inc({ measurement: options.name }, 0);
  }

  /** Adds a gauge. `samples` turns the measurement into values: one, or one for each label value. */
  gauge<L extends string = never>(init: {
    name: string;
    help: string;
    labelNames?: readonly L[];
    samples: (measured: T) => number | readonly { labels: Record<L, string>; value: number }[];
  }): void {
    const { name, help, labelNames = [], samples } = init;
    const collect = async (): Promise<void> => {
      const measured = await this.#measure();
      if (labelNames.length > 0) gauge.reset();
      else gauge.remove();
      if (measured === undefined) return;
      const values = samples(measured);
      if (typeof values === 'number') gauge.set(values);
      else for (const { labels, value } of values) gauge.set(labels, value);
    };
    const gauge: Gauge = new Gauge({ name, help, labelNames, registers: [this.#options.metrics], collect });
  }

  #measure(): Promise<T | undefined> {
    this.#running ??= begunAhead(this.#attempt().finally(() => (this.#running = undefined)));
    return this.#running;
  }

  async #attempt(): Promise<T | undefined> {
    const { name, measure, clock, log } = this.#options;
    try {
      return await within({ clock, timeoutMs: MEASURE_MS, onTimeout: noResult }, measure);
    } catch (error) {
      this.#failures.inc({ measurement: name });
      log.warn({ measurement: name, err: error }, 'could not measure');
      return undefined;
    }
  }
}

function noResult(): Error {
  return new Error(`no result in ${MEASURE_MS} ms`);
}
