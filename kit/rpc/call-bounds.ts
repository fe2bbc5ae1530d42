import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import { Code, ConnectError } from '@connectrpc/connect';
import { clientAddress } from '../net/client-address.js';
import { needsNoCredential } from './mesh.js';
import { OpenCalls } from './open-calls.js';
import { boundUnread, UnreadResponses } from './unread-responses.js';

/**
 * Bounds of the calls of anonymous clients and customers. Calls of our own services, known by their token or certificate, are not counted.
 */
export interface CallLimits {
  /** Most open calls from one address (one /64 in IPv6) to rpcs that need no credential. */
  maxOpenCallsOfAddress: number;
  /** Most open calls from one address, with or without a credential. */
  maxAllCallsOfAddress: number;
  /** Most open calls of one caller: an account, or a credential whose account the service does not know. */
  maxOpenCallsOfCaller: number;
  /** Bytes of responses that the clients of one address, and of one caller, have not taken. */
  maxUnreadBytesOfAddress: number;
  maxUnreadBytesOfCaller: number;
}

export const CALL_LIMITS: CallLimits = {
  maxOpenCallsOfAddress: 500,
  // A gateway without a token has one connection with 1,000 calls for all its callers.
  maxAllCallsOfAddress: 2_000,
  maxOpenCallsOfCaller: 500,
  // A gateway without a token has a picture for each of its 500 live sockets, all at one address. A caller has room for two of the largest
  // responses.
  maxUnreadBytesOfAddress: 256 * 1024 * 1024,
  maxUnreadBytesOfCaller: 64 * 1024 * 1024,
};

/** A call that is counted. */
export interface CountedCall {
  /** Throws resource_exhausted if the call's address has too many open calls. */
  assertRoom(): void;
  /** Counts the call for its caller too, once the caller is known. Throws resource_exhausted if the caller has too many open calls. */
  isOf(caller: string): void;
}

/** Counts the calls of a port, and the bytes of responses that their clients have not taken. */
export class CallBounds {
  readonly #ofAnonymous: OpenCalls;
  readonly #ofAddress: OpenCalls;
  readonly #ofCaller: OpenCalls;
  readonly #unreadOfAddress: UnreadResponses;
  readonly #unreadOfCaller: UnreadResponses;

  constructor(limits: CallLimits) {
    this.#ofAnonymous = new OpenCalls(limits.maxOpenCallsOfAddress);
    this.#ofAddress = new OpenCalls(limits.maxAllCallsOfAddress);
    this.#ofCaller = new OpenCalls(limits.maxOpenCallsOfCaller);
    this.#unreadOfAddress = new UnreadResponses(limits.maxUnreadBytesOfAddress);
    this.#unreadOfCaller = new UnreadResponses(limits.maxUnreadBytesOfCaller);
  }

  begin(
    method: Parameters<typeof needsNoCredential>[0],
    { socket, stream }: Http2ServerRequest,
    response: Http2ServerResponse,
  ): CountedCall {
    const address = clientAddress(socket.remoteAddress ?? '');
    const hasRoom = this.#ofAddress.begin(address, stream);
    const hasAnonymousRoom = !needsNoCredential(method) || this.#ofAnonymous.begin(address, stream);
    const counts: [UnreadResponses, string][] = [[this.#unreadOfAddress, address]];
    boundUnread(response, () => counts);
    return {
      assertRoom: () => {
        if (!hasAnonymousRoom) throw tooMany('Too many calls without a credential are open from this address.');
        if (!hasRoom) throw tooMany('Too many calls are open from this address.');
      },
      isOf: (caller) => {
        if (!this.#ofCaller.begin(caller, stream)) throw tooMany('Too many calls of this account or key are open.');
        counts.push([this.#unreadOfCaller, caller]);
      },
    };
  }
}

function tooMany(text: string): ConnectError {
  return new ConnectError(`${text} End some of them.`, Code.ResourceExhausted);
}
