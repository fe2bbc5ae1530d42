import { hash } from 'node:crypto';
import { constants, type Http2ServerRequest, type Http2Session } from 'node:http2';
import { Code, ConnectError, createContextKey, type Interceptor } from '@connectrpc/connect';
import { clientAddress } from '../net/client-address.js';
import type { Clock } from '../async/clock.js';
import { FairTurns } from '../async/fair-turns.js';
import { FixedWindows } from '../async/fixed-windows.js';
import { needsNoCredential } from './mesh.js';

/** Bounds of the calls that have not shown a valid credential. */
export interface AnonymousLimits {
  /** Most calls of one address, or of one /64 in IPv6, in a minute, as at the edge. */
  maxAnonymousCalls: number;
  /** Most calls of a connection that are refused, or reset before the response. A call with a valid credential begins a new count. */
  maxFruitlessCalls: number;
}

export const ANONYMOUS_LIMITS: AnonymousLimits = { maxAnonymousCalls: 6_000, maxFruitlessCalls: 200 };

const WINDOW_MS = 60_000;

/** Calls of all clients that are begun in a turn of the event loop; each takes about a millisecond. */
const CALLS_PER_TURN = 4;

/** Most credentials that are remembered as valid; the credentials of the oldest calls are dropped first. */
const MAX_KNOWN_CREDENTIALS = 10_000;

/** A call that may be an anonymous client's. */
export interface AnonymousCall {
  /** Notes that the call was served, so its credential is valid. */
  prove(): void;
  /** Notes that the call's credential is not valid. */
  disprove(): void;
}

/** The call of a request, for the interceptor below. Undefined: the call is from one of our own services, or came in memory. */
export const anonymousCallKey = createContextKey<AnonymousCall | undefined>(undefined);

/**
 * Bounds what calls without a valid credential cost. They are counted by address. A connection of nothing but such calls ends after a few
 * hundred. Each turn of the event loop begins a few calls, of all clients in turn. A call that is reset before its turn costs nothing.
 *
 * Some services do not know whether a credential is valid. So one counts as valid once a call with it was served.
 */
export class AnonymousClients {
  readonly #limits: AnonymousLimits;
  readonly #windows: FixedWindows;
  readonly #turns = new FairTurns(CALLS_PER_TURN);
  readonly #known = new Set<string>();
  readonly #fruitless = new WeakMap<Http2Session, number>();
  readonly #calls = new WeakMap<object, AnonymousCall>();

  constructor(limits: AnonymousLimits, clock: Clock) {
    this.#limits = limits;
    this.#windows = new FixedWindows({ clock, windowMs: WINDOW_MS });
  }

  /** Calls `serve` when it is the request's turn, and `refuse` with a text where its address has sent too many. */
  begin(request: Http2ServerRequest, serve: () => void, refuse: (text: string) => void): void {
    const { stream, socket } = request;
    const address = clientAddress(socket.remoteAddress ?? '');
    const session = stream.session;
    const { authorization } = request.headers;
    const credential = authorization === undefined ? undefined : hash('sha256', authorization, 'base64');
    let isKnown = credential !== undefined && this.#known.has(credential);
    stream.once('close', () => {
      if (!isKnown && stream.aborted && !stream.headersSent) this.#wasFruitless(session);
    });
    const call: AnonymousCall = {
      prove: () => {
        if (credential === undefined) return;
        if (!isKnown) this.#windows.takeBack(address);
        isKnown = true;
        this.#remember(credential);
        if (session !== undefined) this.#fruitless.delete(session);
      },
      disprove: () => {
        if (isKnown) this.#windows.count(address);
        isKnown = false;
        if (credential !== undefined) this.#known.delete(credential);
      },
    };
    this.#calls.set(request, call);
    const { count } = isKnown ? { count: 0 } : this.#windows.count(address);
    if (count > this.#limits.maxAnonymousCalls) {
      refuse('Too many calls without a valid credential came from this address. Try again in a minute.');
      this.#wasFruitless(session);
      return;
    }
    const isTaken = this.#turns.add(address, () => {
      if (stream.closed || stream.destroyed) return false;
      serve();
      return true;
    });
    if (isTaken) return;
    // Nothing was done, so that a client may repeat it.
    stream.close(constants.NGHTTP2_REFUSED_STREAM);
    this.#wasFruitless(session);
  }

  /** Returns the call of a request; undefined where it is from one of our own services. */
  callOf(request: object): AnonymousCall | undefined {
    return this.#calls.get(request);
  }

  #wasFruitless(session: Http2Session | undefined): void {
    if (session === undefined || session.destroyed) return;
    const count = (this.#fruitless.get(session) ?? 0) + 1;
    this.#fruitless.set(session, count);
    if (count > this.#limits.maxFruitlessCalls) session.destroy(undefined, constants.NGHTTP2_ENHANCE_YOUR_CALM);
  }

  #remember(credential: string): void {
    this.#known.delete(credential);
    this.#known.add(credential);
    for (const oldest of this.#known) {
      if (this.#known.size <= MAX_KNOWN_CREDENTIALS) return;
      this.#known.delete(oldest);
    }
  }
}

/** Server side: notes whether the credential of a call turned out to be valid. */
export const noteCredentials: Interceptor = (next) => async (request) => {
  const call = request.contextValues.get(anonymousCallKey);
  // An rpc that is open to anybody does not look at the credential.
  if (call === undefined || needsNoCredential(request.method)) return next(request);
  try {
    const response = await next(request);
    if (response.stream) return { ...response, message: noting(response.message, call) };
    call.prove();
    return response;
  } catch (error) {
    if (isUnauthenticated(error)) call.disprove();
    throw error;
  }
};

async function* noting<T>(messages: AsyncIterable<T>, call: AnonymousCall): AsyncGenerator<T> {
  let isProven = false;
  try {
    for await (const message of messages) {
      if (!isProven) call.prove();
      isProven = true;
      yield message;
    }
  } catch (error) {
    if (isUnauthenticated(error)) call.disprove();
    throw error;
  }
}

/** Whether a call ended because its credential is not valid. */
export function isUnauthenticated(error: unknown): boolean {
  return error instanceof ConnectError && error.code === Code.Unauthenticated;
}
