import net from 'node:net';

/** A client that vanished silently is disconnected by keep-alive after about two minutes. */
const SOCKET_OPTIONS = { noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000, allowHalfOpen: true };

/** Passes connections on to another address, each at the pace of its slower side. */
export class PipedServer {
  readonly #connect: () => net.Socket;
  readonly #most: number;
  readonly #clients = new Set<net.Socket>();

  /** `connect` opens the other half of a connection. Clients beyond `most` at a time are refused. */
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

  /** Ends every connection. New connections are still accepted. */
  drop(): void {
    for (const client of this.#clients) client.destroy();
  }
}

/** Passes bytes and the orderly end of `from` on to `to`. A broken `from` breaks `to` too. */
function join(from: net.Socket, to: net.Socket): void {
  from.on('error', () => to.destroy());
  // After an orderly end, the bytes before it may still be on their way, so `to` is closed only after them.
  from.once('close', () => (from.readableEnded ? to.destroySoon() : to.destroy()));
  from.pipe(to);
}
