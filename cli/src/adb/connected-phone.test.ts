import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect } from 'chai';
import { type WebSocket, WebSocketServer } from 'ws';
import { platformWait } from '../../../client/src/platform.js';
import type { Invocation } from '../command/command.js';
import { clientOf } from '../service/connection.js';
import type { AdbProgram } from './adb-program.js';
import { type ConnectedPhone, connectPhone } from './connected-phone.js';

/** What the service has a relay do when the handshake of a tunnel comes. */
type Turn = 'none' | 'off before' | 'off after' | 'off long after';

describe('a phone that is connected', () => {
  let edge: Server;
  let sockets: WebSocketServer;
  let accepted: WebSocket[];
  let isOn: boolean;
  let enabled: number;
  /** What happens at each handshake, the first first. Then nothing does. */
  let turns: Turn[];
  /** Bodies of responses are sent once it resolves. */
  let answering: Promise<void>;
  let answer: () => void;
  let calls: Pick<Invocation, 'terminal' | 'wait' | 'signal'>;
  let connected: ConnectedPhone | undefined;

  beforeEach(async () => {
    [accepted, isOn, enabled, turns, connected] = [[], true, 0, [], undefined];
    [answering, answer] = [Promise.resolve(), () => undefined];
    edge = createServer((request, response) => {
      if (request.method === 'POST') {
        isOn = true;
        enabled++;
      }
      const relay = { adb: { enabled: isOn, ...(isOn && { tunnel: true }), sessions: [] } };
      response.writeHead(200, { 'content-type': 'application/json' });
      void answering.then(() => response.end(JSON.stringify(relay)));
    });
    sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
    edge.on('upgrade', (request, socket, head) => {
      const turn = turns.shift() ?? 'none';
      if (turn === 'off before') {
        isOn = false;
        const body = '{"error":"busy","message":"The relay is off."}';
        socket.end(`HTTP/1.1 409 No\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`);
        return;
      }
      sockets.handleUpgrade(request, socket, head, (ws) => {
        accepted.push(ws);
        if (turn === 'none') return;
        isOn = false;
        // adb fails before the tunnel has looked whether the relay is on again.
        if (turn === 'off long after') answering = new Promise((resolve) => (answer = resolve));
        ws.close(4403, 'forbidden: The relay was turned off.');
      });
    });
    edge.listen(0, '127.0.0.1');
    await once(edge, 'listening');
    const terminal = { note: () => undefined } as unknown as Invocation['terminal'];
    calls = { terminal, wait: platformWait, signal: new AbortController().signal };
  });
  afterEach(async () => {
    await connected?.close();
    for (const ws of accepted) ws.terminate();
    edge.closeAllConnections();
    await new Promise((resolve) => edge.close(resolve));
  });

  /** Connects as adb's server does, which knows a phone once the service has taken the connection. */
  const adb = {
    connect: async (serial: string): Promise<string | undefined> => {
      const taken = accepted.length;
      const socket = connect(Number(serial.split(':')[1]), '127.0.0.1').on('error', () => undefined);
      while (!socket.closed) {
        if (accepted.length > taken && accepted.at(-1)?.readyState === 1) return undefined;
        await platformWait(5);
      }
      answer();
      return 'failed to connect';
    },
    disconnect: async () => undefined,
    isServing: async () => true,
  } as unknown as AdbProgram;

  async function open(): Promise<ConnectedPhone> {
    const url = `http://127.0.0.1:${(edge.address() as AddressInfo).port}/v1`;
    const service = { url, key: 'cp_secret', name: undefined, phone: clientOf(url, 'cp_secret') };
    connected = await connectPhone(calls, service, 'demo', adb);
    return connected;
  }

  for (const turn of ['off before', 'off after', 'off long after'] as const) {
    it(`turns a relay on again that another caller turned ${turn} the handshake`, async () => {
      turns = [turn];
      expect((await open()).serial).to.match(/^127\.0\.0\.1:\d+$/);
      expect([enabled, isOn]).to.deep.equal([1, true]);
    });

    it(`gives up a relay that is turned ${turn} each handshake, after the second time`, async () => {
      turns = Array.from({ length: 10 }, () => turn);
      const fault: unknown = await open().catch((error: unknown) => error);
      expect(String(fault)).to.match(/turned off|relay is off/);
      expect([enabled, turns.length]).to.deep.equal([1, 8]);
    });
  }
});
