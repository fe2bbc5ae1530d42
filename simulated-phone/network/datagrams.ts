import { Mailbox } from '../streams/mailbox.js';

/** One datagram that arrived, with its sender. */
export interface Datagram {
  bytes: Uint8Array;
  host: string;
  port: number;
}

/** A socket of UDP. */
export interface DatagramSocket {
  /** Resolves when the datagram is on its way; nobody learns whether it arrives. Throws for a name that is not found. */
  send(bytes: Uint8Array, host: string, port: number): Promise<void>;
  /** Resolves with datagrams that came, at least one; undefined once the socket is closed. */
  receive(): Promise<Datagram[] | undefined>;
  close(): void;
}

/** The way of a phone's datagrams. */
export interface Datagrams {
  /** Opens a socket at a port; 0: any free one. Throws PortTaken. */
  open(port: number): Promise<DatagramSocket>;
}

/** Another program of the phone has the port, or there are too many sockets. */
export class PortTaken extends Error {
  override name = 'PortTaken';
}

/** Most datagrams that wait for a reader; the oldest are lost first, as in a kernel. Each has up to 64 KiB. */
export const MAX_WAITING_DATAGRAMS = 16;

/** Most sockets of a phone. */
const MAX_SOCKETS = 16;

const FIRST_FREE_PORT = 32_768;

/** The phone's own addresses. */
const OWN = /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|10\.0\.2\.16)$/;

/**
 * The datagrams of a phone without a kernel of its own: they reach sockets of the same phone. All others are lost, as its exit carries HTTP
 * and tunnels of TCP alone.
 */
export class InnerDatagrams implements Datagrams {
  readonly #sockets = new Map<number, Mailbox<Datagram>>();

  open(wanted: number): Promise<DatagramSocket> {
    const port = wanted === 0 ? this.#freePort() : wanted;
    if (this.#sockets.has(port) || this.#sockets.size >= MAX_SOCKETS) return Promise.reject(new PortTaken());
    const arrived = new Mailbox<Datagram>(MAX_WAITING_DATAGRAMS);
    this.#sockets.set(port, arrived);
    return Promise.resolve({
      send: async (bytes, host, to) => {
        if (OWN.test(host)) this.#sockets.get(to)?.add({ bytes: Uint8Array.from(bytes), host: '127.0.0.1', port });
      },
      receive: () => arrived.take(),
      close: () => {
        this.#sockets.delete(port);
        arrived.close();
      },
    });
  }

  #freePort(): number {
    let port = FIRST_FREE_PORT;
    while (this.#sockets.has(port)) port++;
    return port;
  }
}
