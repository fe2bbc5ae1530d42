import net from 'node:net';

/** A client that vanished without a word gives its place up after about two minutes. */
const SOCKET_OPTIONS = { noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000, allowHalfOpen: true };

/** Passes connections on to another address, each at the pace of its slower side. */
export class PipedServer {
  readonly #connect: () => net.Socket;
  readonly #most: number;
  readonly #clients = new Set<net.Socket>();

  /** `connect` opens the other half of a connection; more than `most` at a time are refused. */
  constructor({ connect, most }: { connect: () => net.Socket; most: number }) {
    this.#connect = connect;
    this.#most = most;
  }

  async listen(at: { host: string; port: number } | { path: string }, onError: (error: Error) => void): Promise<void> {
    const server = net.createServer(SOCKET_OPTIONS, (client) => this.accept(client));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(at, resolve);
    });
    server.on('error', onError);
  }

  accept(client: net.Socket): void {
    if (this.#clients.size >= this.#most) {
      client.on('error', () => undefined).resetAndDestroy();
      return;
    }
    this.#clients.add(client);
    const other = this.#connect();
    join(client, other);
    join(other, client);
    client.once('close', () => this.#clients.delete(client));
  }

  /** Ends every connection; new ones are taken. */
  drop(): void {
    for (const client of this.#clients) client.destroy();
  }
}

/** `pipe` ends the other side with this one; what breaks one, breaks both. */
function join(from: net.Socket, to: net.Socket): void {
  from.on('error', () => to.destroy());
  // Bytes that it sent before its orderly end may still be on their way.
  from.once('close', () => (from.readableEnded ? to.destroySoon() : to.destroy()));
  from.pipe(to);
}
