import { expect } from 'chai';
import { AllowedHosts } from '../kit/net/allowed-hosts.js';
import { CONTROL_KEY, type EdgeWorld, startEdge } from '../testing/edge-world.js';
import { connectRaw } from '../testing/raw-client.js';

describe('the Host header at the edge', () => {
  let world: EdgeWorld;
  before(async () => {
    world = await startEdge({}, { hosts: new AllowedHosts(['phones.example.com']) });
  });
  after(() => world.close());

  async function respond(head: string): Promise<string> {
    const client = await connectRaw(world.port);
    client.send(head);
    const response = await client.until(/\r\n\r\n.*\}|\r\n\r\n/);
    client.socket.destroy();
    return response;
  }

  for (const path of ['/v1/models', '/v1/nothing', '/', '/docs/reference/', '/openapi-v1.yaml']) {
    it(`is 403 on ${path} when it names another host`, async () => {
      const response = await respond(`GET ${path} HTTP/1.1\r\nHost: evil.example\r\n\r\n`);
      expect(response)
        .to.match(/^HTTP\/1.1 403 /)
        .and.to.contain('"error":"forbidden"')
        .and.to.contain('ALLOWED_HOSTS');
    });
  }

  it('is 403 for a sign-up and for a WebSocket that name another host', async () => {
    const post = 'POST /v1/account HTTP/1.1\r\nHost: evil.example:8080\r\nContent-Length: 0\r\n\r\n';
    expect(await respond(post)).to.match(/^HTTP\/1.1 403 /);
    const handshake =
      `GET /v1/devices/a/live HTTP/1.1\r\nHost: evil.example\r\nAuthorization: Bearer ${CONTROL_KEY}\r\n` +
      'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n';
    expect(await respond(handshake)).to.match(/^HTTP\/1.1 403 /);
    expect(await respond(handshake.replace('evil.example', 'phones.example.com'))).to.match(/^HTTP\/1.1 404 /);
  });

  it('may name this service, by its address and its names', async () => {
    for (const host of ['127.0.0.1', 'localhost:8080', '[::1]', 'phones.example.com']) {
      const response = await respond(`GET /v1/nothing HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
      expect(response, host).to.match(/^HTTP\/1.1 404 /);
    }
  });

  it('does not count what a client writes into X-Forwarded-Host', async () => {
    const behind = await startEdge({}, { behindProxy: true, hosts: new AllowedHosts() });
    const client = await connectRaw(behind.port);
    client.send('GET /v1/models HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: localhost\r\n\r\n');
    expect(await client.until(/\r\n/)).to.match(/^HTTP\/1.1 403 /);
    client.socket.destroy();
    await behind.close();
  });
});
