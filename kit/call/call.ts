import type { Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import type { Clock } from '../async/clock.js';
import { ApiError } from '../errors/api-error.js';
import type { Trace } from '../log/trace.js';
import { Cancellation } from '../async/within.js';

/**
 * One request on its way from the edge (or a service's RPC port) to the phone. It is made once, where the request enters the process, and
 * handed on as an argument. So everything done for a request shares one deadline and ends when the client hangs up.
 * kit/rpc/call-crossing.ts passes a call to another service.
 */
export interface Call {
  readonly requestId: string;
  /** The trace as received, or begun here. */
  readonly trace: Trace;
  /** The client's credential, as services take it (`Bearer …`, `Session …`). Absent on public routes. Never logged. */
  readonly authorization?: string | undefined;
  /** Set once the request is authenticated. Absent on public routes, and in services that do not authenticate. */
  caller?: Caller | undefined;
  /** Address of the client, for throttling, and for keys that work from some addresses alone. Absent: it is not known. */
  readonly clientAddress?: string | undefined;
  /** On whose behalf the call sends input to a phone. Absent: the sender is not known. */
  readonly sender?: InputSender | undefined;
  /** Aborts when the client hangs up (reason ClientGone) or the deadline passes (reason ApiError `timeout`). */
  readonly signal: AbortSignal;
  /** Time left until the deadline, ms; 0 once it has passed, Infinity without one. */
  readonly remainingMs: () => number;
}

/** A sender of input to phones, in one or more calls. */
export interface InputSender {
  /** Identifies the sender. Inputs with the same `by` are of one sender. */
  readonly by: object;
  /** How many inputs were sent. */
  sent: number;
}

/** The client closed its connection, or cancelled, before the response. No client is left to read an error, so it is no ApiError. */
export class ClientGone extends Error {
  override name = 'ClientGone';

  constructor() {
    super('the client hung up before the response');
  }
}

/** The ids of the requests that ended by these errors. */
const requestIds = new WeakMap<Error, string>();

/** Returns the id of the request that ended by `error`, as its client hung up or its time was over. Undefined for every other error. */
export function requestIdOf(error: Error): string | undefined {
  return requestIds.get(error);
}

export interface OpenCallOptions extends Omit<Call, 'signal' | 'remainingMs'> {
  clock: Clock;
  /** Time until the deadline, ms. Infinity: no deadline. */
  timeoutMs: number;
  /** Signals that abort this call with their own reasons, such as the signal of a call that this one is a part of. */
  signals?: readonly AbortSignal[];
}

/**
 * Gives the code that makes a call the means to abort and end it. The deadline counts from the making. The call must be ended when the
 * request is done, so that the deadline's timer does not stay.
 *
 * The signal is a getter, which creates it at the first use: the edge makes a call even for requests that it refuses at once. A call must
 * not be spread, as a copy would lose the getter.
 */
export class OpenCall implements Call {
  readonly requestId: string;
  readonly trace: Trace;
  readonly clientAddress: string | undefined;
  readonly sender: InputSender | undefined;
  /** Set once the request is authenticated, with its caller. */
  authorization: string | undefined;
  caller: Caller | undefined;
  readonly #clock: Clock;
  readonly #deadlineMs: number;
  readonly #cancellation: Cancellation;

  constructor({ clock, timeoutMs, signals, ...identity }: OpenCallOptions) {
    this.requestId = identity.requestId;
    this.trace = identity.trace;
    this.clientAddress = identity.clientAddress;
    this.sender = identity.sender;
    this.authorization = identity.authorization;
    this.caller = identity.caller;
    this.#clock = clock;
    this.#deadlineMs = clock.monotonicMs() + timeoutMs;
    const onTimeout = (): Error => this.#named(noResponseWithin(timeoutMs));
    this.#cancellation = new Cancellation(signals, { clock, timeoutMs, onTimeout });
  }

  get signal(): AbortSignal {
    return this.#cancellation.signal;
  }

  /** The reason for which the call was aborted. Undefined: it was not aborted. */
  get endedBy(): Error | undefined {
    return this.#cancellation.endedBy;
  }

  /** Returns the result of `work`. Rejects with the reason if the call is aborted first; then the result of `work` is ignored. */
  unlessEnded<T>(work: Promise<T>): Promise<T> {
    return this.#cancellation.unlessEnded(work);
  }

  readonly remainingMs = (): number => Math.max(0, this.#deadlineMs - this.#clock.monotonicMs());

  /** Aborts the call, as the client closed its connection or cancelled. */
  hangUp(): void {
    this.abort(new ClientGone());
  }

  /** Aborts the call and its signal with `reason`. */
  abort(reason: Error): void {
    this.#cancellation.abort(this.#named(reason));
  }

  #named(reason: Error): Error {
    requestIds.set(reason, this.requestId);
    return reason;
  }

  /** Stops the timer and leaves the other signals, as the request is done. May be called any number of times. */
  end(): void {
    this.#cancellation.end();
  }
}

/** Runs `work` with a call for a part of `call`. The part has at most `timeoutMs`, and never more time than `call` has left. */
export async function withinCall<T>(
  call: Call,
  { clock, timeoutMs }: Pick<OpenCallOptions, 'clock' | 'timeoutMs'>,
  work: (part: OpenCall) => Promise<T>,
): Promise<T> {
  const rest = Math.max(0, Math.min(timeoutMs, call.remainingMs()));
  const part = new OpenCall({ ...identityOf(call), clock, signals: [call.signal], timeoutMs: rest });
  try {
    return await work(part);
  } finally {
    part.end();
  }
}

/** Returns a copy of `call` that sends input on behalf of `sender`. */
export function sentBy(call: Call, sender: InputSender): Call {
  return { ...identityOf(call), sender, signal: call.signal, remainingMs: call.remainingMs };
}

/** Makes a call with the identity of `call` but with its own deadline, for work that outlasts `call`. The caller must end both calls. */
export function detachedCall(call: Call, { clock, timeoutMs }: Pick<OpenCallOptions, 'clock' | 'timeoutMs'>): OpenCall {
  return new OpenCall({ ...identityOf(call), clock, timeoutMs });
}

function identityOf({
  requestId,
  trace,
  authorization,
  caller,
  clientAddress,
  sender,
}: Call): Omit<Call, 'signal' | 'remainingMs'> {
  return { requestId, trace, authorization, caller, clientAddress, sender };
}

function noResponseWithin(timeoutMs: number): ApiError {
  return new ApiError('timeout', `There was no response within ${timeoutMs / 1000} s. Try again.`);
}
