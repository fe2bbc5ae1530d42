import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';

/** `asked`: before the API server gets the call. `done`: once the server has done the call, before the client gets the response. */
export type CallSide = 'asked' | 'done';

/** A response in the place of the API server's. */
export interface Refusal {
  status: number;
  headers?: Record<string, string>;
}

/**
 * Called with each call, such as `PATCH pods`, `LIST pods`, `WATCH pods` or `GET jobs`. Returns undefined to let it pass, `cut` to end its
 * connection there, or a refusal to send in place of the response.
 */
export type OnCall = (
  call: string,
  side: CallSide,
) => Refusal | 'cut' | undefined | Promise<Refusal | 'cut' | undefined>;

/** An HTTP server between a client and the API server, on which a test refuses, cuts and counts calls, and ends watches. */
export class ApiProxy {
  onCall: OnCall = () => undefined;
  /** The calls so far. */
  readonly calls: string[] = [];
  readonly #server: Server;
  readonly #watches = new Set<ServerResponse>();

  private constructor(target: { server: string; ca: string }) {
    this.#server = createServer((incoming, response) => void this.#pass(incoming, response, target));
  }

  static async open(target: { server: string; ca: string }): Promise<ApiProxy> {
    const proxy = new ApiProxy(target);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Ends all watches as the API server does once it no longer has the versions that they follow. */
  expireWatches(): void {
    const object = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Expired', code: 410 };
    for (const watch of this.#watches) watch.end(`${JSON.stringify({ type: 'ERROR', object })}\n`);
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #pass(incoming: IncomingMessage, response: ServerResponse, target: { server: string; ca: string }) {
    const { method = '', url = '', headers } = incoming;
    const call = callIn(method, url);
    this.calls.push(call);
    const goesOn = async (side: CallSide): Promise<boolean> => {
      const outcome = await this.onCall(call, side);
      if (outcome === undefined) return true;
      if (outcome === 'cut') incoming.socket.destroy();
      else refuse(response, outcome);
      return false;
    };
    if (!(await goesOn('asked'))) return;
    const onward = request(`${target.server}${url}`, { method, headers, ca: target.ca }, (reply) => {
      void goesOn('done').then((passes) => {
        if (!passes) return reply.destroy();
        if (call.startsWith('WATCH')) this.#watches.add(response);
        response.writeHead(reply.statusCode ?? 502, reply.headers);
        // The headers are sent at once, as the API server does, so that a watch has begun before its first event.
        response.flushHeaders();
        return reply.on('error', () => response.destroy()).pipe(response);
      });
    });
    onward.on('error', () => incoming.socket.destroy());
    response.once('close', () => {
      this.#watches.delete(response);
      onward.destroy();
    });
    incoming.pipe(onward);
  }
}

function refuse(response: ServerResponse, { status, headers }: Refusal): void {
  const message = `refused by the test with ${status}`;
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', message, code: status }));
}

function callIn(method: string, url: string): string {
  const { pathname, searchParams } = new URL(url, 'http://proxy');
  const [, kind = pathname, name] = /\/namespaces\/[^/]+\/([^/]+)(\/.*)?$/.exec(pathname) ?? [];
  const verb =
    searchParams.get('watch') === 'true' ? 'WATCH' : method === 'GET' && name === undefined ? 'LIST' : method;
  return `${verb} ${kind}`;
}
