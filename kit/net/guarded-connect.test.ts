import { createServer, type Server } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import { expect } from 'chai';
import { Agent, request } from 'undici';
import { guardedConnect, isPublicAddress, RefusedTarget } from './guarded-connect.js';

describe('guarded connect', () => {
  let server: Server;
  let port: number;

  before((done) => {
    server = createServer((_request, response) => response.end('hello')).listen(0, '127.0.0.1', () => {
      port = (server.address() as AddressInfo).port;
      done();
    });
  });

  after((done) => {
    server.close(done);
  });

  const get = async (url: string, allowPrivateTargets: boolean, lookup?: LookupFunction): Promise<string> => {
    const connect = guardedConnect({ allowPrivateTargets, connectTimeoutMs: 2000, ...(lookup ? { lookup } : {}) });
    const agent = new Agent({ connect });
    try {
      const { body } = await request(url, { dispatcher: agent });
      return await body.text();
    } finally {
      await agent.destroy();
    }
  };

  const refusal = async (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => undefined,
      (error: unknown) => error,
    );

  it('refuses a literal loopback address', async () => {
    expect(await refusal(get(`http://127.0.0.1:${port}/`, false))).to.be.instanceOf(RefusedTarget);
  });

  it('refuses odd spellings of loopback, which URLs turn into the plain one', async () => {
    for (const host of ['0x7f.1', '2130706433', '0177.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '127.1']) {
      expect(await refusal(get(`http://${host}:${port}/`, false)), host).to.be.instanceOf(RefusedTarget);
    }
  });

  it('refuses a name that resolves to a private address', async () => {
    const lookup: LookupFunction = (_host, options, callback) => {
      if (options.all === true) callback(null, [{ address: '127.0.0.1', family: 4 }]);
      else callback(null, '127.0.0.1', 4);
    };
    const error = await refusal(get(`http://rebinding.example:${port}/`, false, lookup));
    expect(error).to.be.instanceOf(RefusedTarget);
    expect((error as Error).message).to.equal('rebinding.example leads to 127.0.0.1, which is not a public address');
  });

  it('refuses a name when only one of its addresses is private', async () => {
    const lookup: LookupFunction = (_host, _options, callback) =>
      callback(null, [
        { address: '93.184.216.34', family: 4 },
        { address: '10.0.0.1', family: 4 },
      ]);
    expect(await refusal(get('http://mixed.example/', false, lookup))).to.be.instanceOf(RefusedTarget);
  });

  it('lets an operator allow private targets', async () => {
    expect(await get(`http://127.0.0.1:${port}/`, true)).to.equal('hello');
    expect(await get(`http://localhost:${port}/`, true)).to.equal('hello');
  });

  it('knows which addresses are public', () => {
    const closed = [
      '0.0.0.0',
      '10.1.2.3',
      '100.64.0.1',
      '127.0.0.1',
      '169.254.169.254',
      '172.16.0.1',
      '192.0.0.1',
      '192.168.1.1',
      '198.18.0.1',
      '203.0.113.9',
      '224.0.0.1',
      '240.0.0.1',
      '255.255.255.255',
      '::',
      '::1',
      '::ffff:8.8.8.8:1',
      '::ffff:10.0.0.1',
      '64:ff9b::8.8.8.8',
      '2001:db8::1',
      '2002:7f00:1::',
      '2001::1',
      'fc00::1',
      'fe80::1',
      'ff02::1',
      'fec0::1',
      '1.2',
      '0x7f000001',
      'example.com',
      '',
    ];
    for (const address of closed) expect(isPublicAddress(address), address).to.equal(false);
    for (const address of ['8.8.8.8', '93.184.216.34', '2606:4700::1111', '::ffff:8.8.8.8']) {
      expect(isPublicAddress(address), address).to.equal(true);
    }
  });
});
