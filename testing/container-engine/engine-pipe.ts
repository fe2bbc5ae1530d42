import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';

/** `asked`: the engine has not got the call yet. `done`: the engine has done the call, but its response has not arrived. */
export type CallSide = 'asked' | 'done';

/** Called for each call that changes something. Returns false to cut the connection there. */
export type OnCall = (call: string, side: CallSide) => boolean | Promise<boolean>;

/** A socket between a service and its container engine, on which a test stops calls. */
export class EnginePipe {
  readonly socketPath: string;
  onCall: OnCall = () => true;
  readonly #server: Server;

  private constructor(socketPath: string, engineSocket: string) {
    this.socketPath = socketPath;
    this.#server = createServer((incoming, response) => void this.#pass(incoming, response, engineSocket));
  }

  static async open(socketPath: string, engineSocket: string): Promise<EnginePipe> {
    const pipe = new EnginePipe(socketPath, engineSocket);
    pipe.#server.listen(socketPath);
    await once(pipe.#server, 'listening');
    return pipe;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #pass(incoming: IncomingMessage, response: ServerResponse, engineSocket: string): Promise<void> {
    const { method = '', url: path = '', headers } = incoming;
    const call = callIn(method, path);
    const goesOn = async (side: CallSide): Promise<boolean> => {
      if (call === undefined || (await this.onCall(call, side))) return true;
      incoming.socket.destroy();
      return false;
    };
    if (!(await goesOn('asked'))) return;
    const onward = request({ socketPath: engineSocket, method, path, headers }, (reply) => {
      void goesOn('done').then((passes) => {
        if (!passes) return reply.destroy();
        response.writeHead(reply.statusCode ?? 502, reply.headers);
        return reply.pipe(response);
      });
    });
    onward.on('error', () => incoming.socket.destroy());
    response.once('close', () => onward.destroy());
    incoming.pipe(onward);
  }
}

/** Returns the name of a call, such as `create network` or `start container`; undefined for a call that only reads. */
function callIn(method: string, path: string): string | undefined {
  const [, kind = '', rest = ''] = /^(?:\/v[\d.]+)?\/(container|network)s\/([^?]*)/.exec(path) ?? [];
  if (kind === '' || (method !== 'POST' && method !== 'DELETE')) return undefined;
  return `${method === 'DELETE' ? 'remove' : (rest.split('/').at(-1) ?? '')} ${kind}`;
}
