import { Gauge, type Registry } from 'prom-client';
import type { Clock } from '../async/clock.js';
import type { Log } from '../log/log.js';
import { type Loop, repeat } from '../errors/repeat.js';
import { sharedMetric } from './shared-metric.js';

/** Work that a part of a service does again and again while it runs. */
export interface PeriodicTask {
  /** What the task does, such as `publish finished jobs`: completes "could not …" in the log, and is the label of its metrics. */
  name: string;
  /** The time from the end of one run to the beginning of the next, ms. */
  everyMs: number;
  /** The time from the start to the first run, ms. Absent: `everyMs`. */
  firstMs?: number;
  /** The signal aborts when the tasks are closed. A run that fails is logged, and the next one comes as usual. */
  run: (signal: AbortSignal) => Promise<unknown>;
  /** Requests runs before their time. Absent: nothing does. */
  wakeup?: Wakeup;
}

/** Requests a run of a periodic task before its time. A request before the task is started has no effect, as the first run comes anyway. */
export class Wakeup {
  #loop: Loop | undefined;

  /** Runs the task now, or once more after the run under way. */
  soon(): void {
    this.#loop?.soon();
  }

  /** Called by the runner of the task. */
  attach(loop: Loop): void {
    this.#loop = loop;
  }
}

/** Tasks that were started together. */
export interface RunningTasks {
  /** Aborts all runs under way together, and waits for their ends. */
  close(): Promise<void>;
}

/** Starts periodic tasks, logs their failures, and measures when each succeeded last and how long that took. */
export class PeriodicTasks {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #succeeded: Gauge<'task'>;
  readonly #duration: Gauge<'task'>;

  constructor({ clock, log, metrics }: { clock: Clock; log: Log; metrics: Registry }) {
    this.#clock = clock;
    this.#log = log;
    this.#succeeded = gauge(
      metrics,
      'periodic_task_last_success_timestamp_seconds',
      'When the last run of a periodic task that did not fail ended, or the task was begun, seconds since 1970',
    );
    this.#duration = gauge(metrics, 'periodic_task_duration_seconds', 'How long the last run that did not fail took');
  }

  start(tasks: readonly PeriodicTask[]): RunningTasks {
    const loops = tasks.map((task) => this.#start(task));
    return {
      close: async () => {
        await Promise.all(loops.map((loop) => loop.close()));
      },
    };
  }

  #start({ name, everyMs, firstMs, run, wakeup }: PeriodicTask): Loop {
    const clock = this.#clock;
    const measured = async (signal: AbortSignal): Promise<void> => {
      const beganMs = clock.monotonicMs();
      await run(signal);
      this.#duration.set({ task: name }, (clock.monotonicMs() - beganMs) / 1_000);
      this.#succeeded.set({ task: name }, clock.now() / 1_000);
    };
    // A task that fails from the start on has a time too, so that an alert sees it grow old.
    this.#succeeded.set({ task: name }, clock.now() / 1_000);
    const times = { everyMs, ...(firstMs !== undefined && { firstMs }) };
    const loop = repeat({ clock, log: this.#log, ...times, step: name }, measured);
    wakeup?.attach(loop);
    return loop;
  }
}

function gauge(metrics: Registry, name: string, help: string): Gauge<'task'> {
  return sharedMetric(metrics, name, () => new Gauge({ name, help, labelNames: ['task'], registers: [metrics] }));
}
