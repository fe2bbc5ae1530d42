import type { Caller } from '../proto/gen/cloudphone/access/v1/access_service_pb.js';
import type { Clock } from './clock.js';
import { ApiError } from './errors.js';
import type { Trace } from './trace.js';
import { Limited } from './within.js';

/**
 * One request on its way from the edge (or a service's RPC port) to the phone. Made once where the request enters the process, and
 * handed on as an argument, so that everything done for a request shares one deadline and ends when the client hangs up. How it
 * crosses an RPC: kit/rpc/call-crossing.ts.
 */
export interface Call {
  readonly requestId: string;
  /** As received, or begun here. */
  readonly trace: Trace;
  /** The client's credential, as services take it (`Bearer …`, `Session …`). Absent on public routes. Never logged. */
  readonly authorization?: string | undefined;
  /** Set once the request is authenticated. Absent on public routes, and in services that do not authenticate. */
  caller?: Caller | undefined;
  /** Address of the client, for throttling. Only on calls without a caller. */
  readonly clientAddress?: string | undefined;
  /** Aborts when the client hangs up (reason ClientGone) or the deadline passes (reason ApiError `timeout`). */
  readonly signal: AbortSignal;
  /** Time left until the deadline, ms; 0 once it has passed, Infinity without one. */
  readonly remainingMs: () => number;
}

/** The client closed its connection, or cancelled, before the response. No client is left to read an error, so it is no ApiError. */
export class ClientGone extends Error {
  override name = 'ClientGone';

  constructor() {
    super('the client hung up before the response');
  }
}

export interface OpenCallOptions extends Omit<Call, 'signal' | 'remainingMs'> {
  clock: Clock;
  /** Time until the deadline, ms. Infinity: no deadline. */
  timeoutMs: number;
  /** Aborts the call too, with its own reason: the signal of a call that this one is a part of. */
  signal?: AbortSignal | undefined;
}

/**
 * A call, for the code that made it: its deadline begins when it is made, and it is ended when the request is done, so that the
 * deadline's timer does not stay.
 *
 * A class with a getter for the signal, as the edge makes one for every request, also for those that it refuses at once; it must not
 * be spread.
 */
export class OpenCall implements Call {
  readonly requestId: string;
  readonly trace: Trace;
  readonly clientAddress: string | undefined;
  /** Set once the request is authenticated, with its caller. */
  authorization: string | undefined;
  caller: Caller | undefined;
  readonly #clock: Clock;
  readonly #deadlineMs: number;
  readonly #limit: Limited;

  constructor({ clock, timeoutMs, signal, ...identity }: OpenCallOptions) {
    this.requestId = identity.requestId;
    this.trace = identity.trace;
    this.clientAddress = identity.clientAddress;
    this.authorization = identity.authorization;
    this.caller = identity.caller;
    this.#clock = clock;
    this.#deadlineMs = clock.monotonicMs() + timeoutMs;
    this.#limit = new Limited({
      clock,
      timeoutMs,
      signals: [signal],
      onTimeout: () => noResponseWithin(timeoutMs),
    });
  }

  get signal(): AbortSignal {
    return this.#limit.signal;
  }

  /** Why the signal is aborted; undefined while it is not. */
  get endedBy(): Error | undefined {
    return this.#limit.endedBy;
  }

  /** Returns the result of `work`, or rejects with why the call ended, when that comes first; a late result is ignored. */
  unlessEnded<T>(work: Promise<T>): Promise<T> {
    return this.#limit.unlessEnded(work);
  }

  readonly remainingMs = (): number => Math.max(0, this.#deadlineMs - this.#clock.monotonicMs());

  /** The client closed its connection or cancelled: aborts the signal. */
  hangUp(): void {
    this.abort(new ClientGone());
  }

  /** Ends the call for a reason of the caller's: aborts the signal with it. */
  abort(reason: Error): void {
    this.#limit.abort(reason);
  }

  /** The request is done. Safe to call any number of times. */
  end(): void {
    this.#limit.end();
  }
}

/** Does a part of `call` in a call of its own, which has at most `timeoutMs`, and no more than the rest of `call`. */
export async function during<T>(
  call: Call,
  { clock, timeoutMs }: Pick<OpenCallOptions, 'clock' | 'timeoutMs'>,
  work: (part: Call) => Promise<T>,
): Promise<T> {
  const rest = Math.max(0, Math.min(timeoutMs, call.remainingMs()));
  const part = new OpenCall({ ...identityOf(call), clock, signal: call.signal, timeoutMs: rest });
  try {
    return await work(part);
  } finally {
    part.end();
  }
}

/** Begins a call with the identity of `call` and a time of its own, for work that lasts longer. The holder ends both. */
export function prolong(call: Call, { clock, timeoutMs }: Pick<OpenCallOptions, 'clock' | 'timeoutMs'>): OpenCall {
  return new OpenCall({ ...identityOf(call), clock, timeoutMs });
}

function identityOf({
  requestId,
  trace,
  authorization,
  caller,
  clientAddress,
}: Call): Omit<Call, 'signal' | 'remainingMs'> {
  return { requestId, trace, authorization, caller, clientAddress };
}

function noResponseWithin(timeoutMs: number): ApiError {
  return new ApiError('timeout', `There was no response within ${timeoutMs / 1000} s. Try again.`);
}
