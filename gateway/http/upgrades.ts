import { IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { type DiscardOptions, endWith } from './discard-rest.js';

/**
 * A request that counts as an upgrade only when it is a WebSocket handshake (or CONNECT). Node has one listener for all upgrades, which
 * gets them without their bodies. A server may ignore upgrades (RFC 9110, 7.8). It must ignore them for clients that offer HTTP/2 with
 * every first request (`Upgrade: h2c`).
 */
export class EdgeRequest extends IncomingMessage {
  /** The parser's finding. It is only declared here, as the constructor of the base class sets it. */
  declare private offered: boolean | null;

  get upgrade(): boolean {
    return this.offered === true && (this.method === 'CONNECT' || this.#isWebSocket());
  }

  set upgrade(offered: boolean | null) {
    this.offered = offered;
  }

  #isWebSocket(): boolean {
    return this.method === 'GET' && this.headers.upgrade?.toLowerCase() === 'websocket';
  }
}

/** The connection of a handshake, and the bytes that came after its headers. */
export interface Upgrade {
  socket: Socket;
  head: Buffer;
}

interface Offer extends Upgrade {
  response: ServerResponse;
}

const offers = new WeakMap<IncomingMessage, Offer>();

/**
 * Lets `handler` serve handshakes like every other request, with a response that closes the connection. So a refused handshake gets the
 * same response as any other refused request. To accept a handshake, the handler takes the connection over with `takeUpgrade`.
 */
export function serveUpgrades(server: Server, handler: RequestListener, options: DiscardOptions): void {
  server.on('upgrade', (request, socket, head) => {
    if (!(socket instanceof Socket)) throw new Error('a connection of an HTTP server is a Socket');
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    socket.on('error', () => socket.destroy());
    response.on('finish', () => {
      endWith(socket, '', options);
      response.emit('close');
    });
    offers.set(request, { socket, head, response });
    handler(request, response);
  });
}

/** Returns the connection of a handshake; undefined for any other request. */
export function upgradeOf(request: IncomingMessage): Upgrade | undefined {
  return offers.get(request);
}

/** Takes the connection over; from then on nothing is sent as an HTTP response. */
export function takeUpgrade(request: IncomingMessage): Upgrade {
  const offer = offers.get(request);
  if (offer === undefined) throw new Error('the request is no handshake, or was taken over before');
  offers.delete(request);
  const { socket, head, response } = offer;
  response.detachSocket(socket);
  return { socket, head };
}
