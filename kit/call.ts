import type { Caller } from '../proto/gen/cloudphone/access/v1/access_service_pb.js';
import type { Clock } from './clock.js';
import { ApiError } from './errors.js';
import type { Trace } from './trace.js';
import { beginLimit } from './within.js';

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
  readonly authorization?: string;
  /** Absent on public routes, and in services that do not authenticate. */
  readonly caller?: Caller;
  /** Address of the client, for throttling. Only on calls without a caller. */
  readonly clientAddress?: string;
  /** Aborts when the client hangs up (reason ClientGone) or the deadline passes (reason ApiError `timeout`). */
  readonly signal: AbortSignal;
  /** Time left until the deadline, ms; 0 once it has passed, Infinity without one. */
  readonly remainingMs: () => number;
}

/** A call, for the code that made it: it ends the call when the request is done, so that the deadline's timer does not stay. */
export interface OpenCall extends Call {
  /** The client closed its connection or cancelled: aborts the signal. */
  hangUp: () => void;
  /** The request is done. Safe to call any number of times. */
  end: () => void;
}

/** The client closed its connection, or cancelled, before the response. Nobody is left to read an error, so it is no ApiError. */
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
  signal?: AbortSignal;
  /** Reason of the abort at the deadline. Absent: ApiError `timeout` with a general text. */
  onTimeout?: () => Error;
}

/** Begins a call; its deadline begins now. The holder calls `end`. */
export function openCall(options: OpenCallOptions): OpenCall {
  const { clock, timeoutMs, signal: outer, onTimeout = () => noResponseWithin(timeoutMs), ...identity } = options;
  const deadlineMs = clock.monotonicMs() + timeoutMs;
  const { signal, abort, end } = beginLimit({ clock, timeoutMs, signals: [outer], onTimeout });
  return {
    ...identity,
    signal,
    remainingMs: () => Math.max(0, deadlineMs - clock.monotonicMs()),
    hangUp: () => abort(new ClientGone()),
    end,
  };
}

/** Begins a part of `call` that has at most `timeoutMs`, and no more than what is left of the call. The holder calls `end`. */
export function shorten(
  call: Call,
  { clock, timeoutMs, onTimeout }: Pick<OpenCallOptions, 'clock' | 'timeoutMs' | 'onTimeout'>,
): OpenCall {
  const { requestId, trace, authorization, caller, clientAddress, signal } = call;
  return openCall({
    clock,
    requestId,
    trace,
    signal,
    timeoutMs: Math.max(0, Math.min(timeoutMs, call.remainingMs())),
    ...(authorization !== undefined && { authorization }),
    ...(caller !== undefined && { caller }),
    ...(clientAddress !== undefined && { clientAddress }),
    ...(onTimeout !== undefined && { onTimeout }),
  });
}

function noResponseWithin(timeoutMs: number): ApiError {
  return new ApiError('timeout', `There was no response within ${timeoutMs / 1000} s. Try again.`);
}
