import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import { Code, ConnectError } from '@connectrpc/connect';
import { clientAddress } from '../client-address.js';
import { needsNoCredential } from './mesh.js';
import { OpenCalls } from './open-calls.js';
import { boundUnread, UnreadResponses } from './unread-responses.js';

/** Bounds of the calls of strangers and customers. Those of our own services, by their token or certificate, are not counted. */
export interface CallLimits {
  /** Calls at the same time of one address, or of one /64 in IPv6, of rpcs that need no credential. */
  openCallsOfAddressMax: number;
  /** Those of one address, with or without a credential. */
  allCallsOfAddressMax: number;
  /** Those of one caller: an account, or a credential where the service does not know whose it is. */
  openCallsOfCallerMax: number;
  /** Bytes of responses that the clients of one address, and of one caller, have not taken. */
  unreadBytesOfAddressMax: number;
  unreadBytesOfCallerMax: number;
}

export const CALL_LIMITS: CallLimits = {
  openCallsOfAddressMax: 500,
  // A gateway without a token has one connection with 1,000 calls for all its callers.
  allCallsOfAddressMax: 2_000,
  openCallsOfCallerMax: 500,
  // Two of the largest responses; a gateway without a token has a picture for each of its 500 live sockets.
  unreadBytesOfAddressMax: 256 * 1024 * 1024,
  unreadBytesOfCallerMax: 64 * 1024 * 1024,
};

/** A call that is counted. */
export interface CountedCall {
  /** Throws the call's error where its address has too many. */
  assertRoom(): void;
  /** Counts it by its caller too, once that is known. Throws the call's error where the caller has too many. */
  isOf(caller: string): void;
}

/** Counts the calls of a port, and the bytes of responses that their clients have not taken. */
export class CallBounds {
  readonly #ofStrangers: OpenCalls;
  readonly #ofAddress: OpenCalls;
  readonly #ofCaller: OpenCalls;
  readonly #unreadOfAddress: UnreadResponses;
  readonly #unreadOfCaller: UnreadResponses;

  constructor(limits: CallLimits) {
    this.#ofStrangers = new OpenCalls(limits.openCallsOfAddressMax);
    this.#ofAddress = new OpenCalls(limits.allCallsOfAddressMax);
    this.#ofCaller = new OpenCalls(limits.openCallsOfCallerMax);
    this.#unreadOfAddress = new UnreadResponses(limits.unreadBytesOfAddressMax);
    this.#unreadOfCaller = new UnreadResponses(limits.unreadBytesOfCallerMax);
  }

  begin(
    method: Parameters<typeof needsNoCredential>[0],
    { socket, stream }: Http2ServerRequest,
    response: Http2ServerResponse,
  ): CountedCall {
    const address = clientAddress(socket.remoteAddress ?? '');
    const hasRoom = this.#ofAddress.begin(address, stream);
    const hasStrangersRoom = !needsNoCredential(method) || this.#ofStrangers.begin(address, stream);
    const counts: [UnreadResponses, string][] = [[this.#unreadOfAddress, address]];
    boundUnread(response, () => counts);
    return {
      assertRoom: () => {
        if (!hasStrangersRoom) throw tooMany('Too many calls without a credential are open from this address.');
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
