import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A web site on loopback that records its visits. It shows visitors their address: as text at `/ip`, in a page elsewhere. */
export class Site {
  readonly #server: Server;
  /** Addresses of the visitors, with the path. */
  readonly visits: { address: string; path: string }[] = [];

  private constructor() {
    this.#server = createServer((request, response) => {
      const address = request.socket.remoteAddress ?? '';
      const path = request.url ?? '';
      this.visits.push({ address, path });
      const isText = path.startsWith('/ip');
      response.writeHead(200, { 'content-type': isText ? 'text/plain' : 'text/html', connection: 'close' });
      response.end(isText ? address : `<title>Canary</title><p>You come from ${address}</p>`);
    });
  }

  static async start(): Promise<Site> {
    const site = new Site();
    await new Promise<void>((resolve) => site.#server.listen(0, '127.0.0.1', resolve));
    return site;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }
}
