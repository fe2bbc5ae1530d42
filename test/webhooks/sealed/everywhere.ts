import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A connection that was made, and its first request. */
export interface Contact {
  address: string;
  port: number;
  path?: string;
}

/**
 * Listens on every address of a sealed network, whatever it is, and notes each connection. It responds by the path:
 * `/answer?status=302&headers={"location":"http://10.0.0.1/"}`, and 204 to every other.
 */
export class Everywhere {
  readonly contacts: Contact[] = [];
  readonly #servers: Server[] = [];
  readonly #contactOf = new Map<Socket, Contact>();

  async listen(ports: readonly number[]): Promise<void> {
    for (const port of ports) {
      for (const host of ['0.0.0.0', '::']) {
        const server = createServer((request, response) => this.#take(request, response));
        server.on('connection', (socket: Socket) => this.#note(socket));
        this.#servers.push(server);
        await new Promise<void>((resolve, reject) => {
          server.once('error', reject);
          server.listen({ port, host, ipv6Only: host === '::' }, resolve);
        });
      }
    }
  }

  close(): void {
    for (const server of this.#servers) {
      server.close();
      server.closeAllConnections();
    }
  }

  #note(socket: Socket): void {
    const contact: Contact = { address: socket.localAddress ?? '', port: socket.localPort ?? 0 };
    this.contacts.push(contact);
    this.#contactOf.set(socket, contact);
    socket.on('close', () => this.#contactOf.delete(socket));
    socket.on('error', () => socket.destroy());
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? '';
    const contact = this.#contactOf.get(request.socket);
    if (contact === undefined) throw new Error('a request without a connection');
    // A connection that is used again is noted once for each request.
    if (contact.path === undefined) contact.path = path;
    else this.contacts.push({ ...contact, path });
    const { searchParams } = new URL(path, 'http://here');
    const headers = JSON.parse(searchParams.get('headers') ?? '{}') as Record<string, string>;
    request.resume();
    request.once('end', () => response.writeHead(Number(searchParams.get('status') ?? 204), headers).end());
  }
}
