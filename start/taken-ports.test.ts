import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { expect } from 'chai';
import { assertPortsFree } from './taken-ports.js';

describe('the ports of npm start', () => {
  const servers: Server[] = [];
  afterEach(() => servers.splice(0).forEach((server) => server.close()));

  async function take(): Promise<number> {
    const server = createServer();
    servers.push(server.listen(0, '127.0.0.1'));
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  const faultOf = (ports: readonly number[]): Promise<string> =>
    assertPortsFree(ports.map((port) => ({ host: '127.0.0.1', port, wanted: 'by a test (TEST_PORT)' }))).then(
      () => '',
      (error: unknown) => (error as Error).message,
    );

  it('are reported together where several are taken', async () => {
    const [first, free, second] = [await take(), await take(), await take()];
    servers[1]?.close();
    await once(servers[1] ?? createServer(), 'close');
    expect((await faultOf([first, free, 0, second])).split('\n')).to.deep.equal([
      `Port ${first} on 127.0.0.1, wanted by a test (TEST_PORT), is taken by another program.`,
      `Port ${second} on 127.0.0.1, wanted by a test (TEST_PORT), is taken by another program.`,
      'A second installation on a machine starts with PORT=0, which picks free ports.',
    ]);
    expect((await faultOf([first])).split('\n')).to.have.length(1);
    // They are free for their owners afterwards.
    expect([await faultOf([free]), await faultOf([free])]).to.deep.equal(['', '']);
  });
});
