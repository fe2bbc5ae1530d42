import type { Dispatcher } from 'undici';
import type { Clock, Timer } from '../../kit/clock.js';
import type { WebhookLimits } from '../limits.js';

export type ExchangeLimits = Pick<WebhookLimits, 'responseTimeoutMs' | 'responseMaxBytes' | 'drainResponseMs'>;

/** The status of a response, or why there was none. `ms`: how long that took. */
export type ExchangeEnd = { status: number; ms: number } | { error: Error; ms: number };

/**
 * One request and its response, as a dispatcher reports them. The status decides as soon as it is there; the rest of the response
 * is read, not decoded, only so that the connection can be used again. (undici's own `request` makes a stream of every response and
 * listens to a signal twice; neither matters here.)
 */
export class Exchange implements Dispatcher.DispatchHandler {
  /** Resolves when nothing more is sent or read. */
  readonly ended: Promise<ExchangeEnd>;
  readonly #clock: Clock;
  readonly #limits: ExchangeLimits;
  readonly #startedMs: number;
  #resolve: ((end: ExchangeEnd) => void) | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #timer: Timer;
  #response: { status: number; ms: number } | undefined;
  #bytes = 0;

  constructor(clock: Clock, limits: ExchangeLimits) {
    this.#clock = clock;
    this.#limits = limits;
    this.#startedMs = clock.monotonicMs();
    this.ended = new Promise((resolve) => (this.#resolve = resolve));
    // It covers connecting, sending and waiting together.
    this.#timer = clock.after(limits.responseTimeoutMs, () =>
      this.cut(Object.assign(new Error('no response in time'), { code: 'ETIMEDOUT' })),
    );
  }

  /** Ends it here: with the status when that is known, else with `reason`. */
  cut(reason: Error): void {
    this.#end(this.#response ?? { error: reason, ms: this.#tookMs() });
    this.#controller?.abort(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#resolve === undefined) controller.abort(new Error('cut while it connected'));
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number): void {
    // Informational statuses only announce a response.
    if (status < 200) return;
    this.#response = { status, ms: this.#tookMs() };
    this.#timer.cancel();
    this.#timer = this.#clock.after(this.#limits.drainResponseMs, () => this.cut(new Error('response too slow')));
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#limits.responseMaxBytes) this.cut(new Error('response too long'));
  }

  onResponseEnd(): void {
    if (this.#response !== undefined) this.#end(this.#response);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#end(this.#response ?? { error, ms: this.#tookMs() });
  }

  #end(end: ExchangeEnd): void {
    this.#timer.cancel();
    this.#resolve?.(end);
    this.#resolve = undefined;
  }

  #tookMs(): number {
    return Math.round(this.#clock.monotonicMs() - this.#startedMs);
  }
}
