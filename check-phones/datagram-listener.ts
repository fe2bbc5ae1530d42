import { begunAhead } from '../kit/async/begun-ahead.js';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';

/** A UDP port of this machine that keeps what arrives. */
export class DatagramListener {
  readonly #socket: Socket;
  /** The texts that arrived, the latest ones where there are many. */
  readonly arrived: string[] = [];

  private constructor(address: string) {
    this.#socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
    this.#socket.on('message', (bytes) => {
      this.arrived.push(bytes.toString('latin1'));
      if (this.arrived.length > 1_000) this.arrived.shift();
    });
  }

  /** Listens at `address`, on a free port. */
  static async start(address: string): Promise<DatagramListener> {
    const listener = new DatagramListener(address);
    listener.#socket.bind(0, address);
    await once(listener.#socket, 'listening');
    return listener;
  }

  get port(): number {
    return this.#socket.address().port;
  }

  async close(): Promise<void> {
    const closed = begunAhead(once(this.#socket, 'close'));
    this.#socket.close();
    await closed;
  }
}
