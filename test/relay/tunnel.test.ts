import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { WebSocket } from 'ws';
import { systemClock } from '../../kit/async/clock.js';
import { Command, encodePacket, VERSION_SKIP_CHECKSUM } from '../../phone/adb/packet.js';
import { NEEDS_ADB, skip } from '../../testing/skip.js';
import { until } from '../../testing/until.js';
import { type PanelClient, signIn } from '../access/people.js';
import { startWorld, type World } from '../world.js';
import { AdbClient } from './adb-client.js';
import { openTunnelPort } from './tunnel-port.js';
import { carryOver, closeOf, openTunnel, Refused } from './tunnel-socket.js';

describe('adb through the API', () => {
  let world: World;
  let panel: PanelClient;
  const opened: WebSocket[] = [];
  const path = '/v1/devices/tunnelled/adb';

  before(async () => {
    world = await startWorld();
    panel = await signIn(world);
    await world.api.createPhone({ name: 'tunnelled' });
  });
  after(() => world.close());
  afterEach(async () => {
    for (const ws of opened.splice(0)) ws.terminate();
    await until(async () => ((await world.api.get(path)).body.adb?.sessions ?? []).length === 0);
  });

  async function open(device = 'tunnelled', key = world.key): Promise<WebSocket> {
    const ws = await openTunnel(world.mesh.url, device, key);
    opened.push(ws);
    return ws;
  }
  const enable = async (body: object = {}): Promise<Record<string, unknown>> =>
    (await world.api.post(path, { tunnel: true, ...body })).body.adb as Record<string, unknown>;
  async function refusalOf(opening: Promise<WebSocket>): Promise<[number, string, string]> {
    try {
      await opening;
    } catch (error) {
      if (error instanceof Refused) return [error.status, error.body.error, error.body.message];
      throw error;
    }
    throw new Error('it was not refused');
  }
  const makeKey = async (grant: object): Promise<{ id: string; key: string }> =>
    (await panel.ask('POST', '/v1/keys', { name: 'adb', scope: 'control', devices: ['tunnelled'], ...grant })).body.key;

  const greeting = encodePacket(
    {
      ...{ command: Command.CNXN, arg0: VERSION_SKIP_CHECKSUM, arg1: 1024 * 1024 },
      payload: Buffer.from('host::features=shell_v2,cmd'),
    },
    { checksum: true },
  );
  /** Sends the greeting of adb's server, and waits for the phone's. */
  async function greet(ws: WebSocket): Promise<void> {
    let got = Buffer.alloc(0);
    ws.on('message', (piece: Buffer) => (got = Buffer.concat([got, piece])));
    for (const byte of greeting) ws.send(Buffer.from([byte]));
    await until(() => got.subarray(0, 4).toString() === 'CNXN');
  }

  it('is refused with the call to make until the relay is on for it', async () => {
    const [status, kind, message] = await refusalOf(open());
    expect([status, kind]).to.deep.equal([409, 'busy']);
    expect(message).to.contain('POST /v1/devices/tunnelled/adb with {"tunnel": true}');
    await world.api.post(path, { allow: ['127.0.0.1'] });
    expect((await refusalOf(open())).slice(0, 2)).to.deep.equal([409, 'busy']);
    expect((await world.api.delete(path)).status).to.equal(200);
  });

  it('opens no port and makes no code, and both with a list, which then holds for it too', async () => {
    const alone = await enable();
    expect(alone).to.include({ enabled: true, tunnel: true });
    expect(alone).not.to.have.any.keys('host', 'port', 'code');
    const both = await enable({ allow: ['127.0.0.1'] });
    expect(both).to.include({ enabled: true, tunnel: true, host: '127.0.0.1' });
    expect(both).to.include.all.keys('port', 'code');
    await open();
    await enable({ allow: ['203.0.113.7'] });
    const [status, kind, message] = await refusalOf(open());
    expect([status, kind]).to.deep.equal([403, 'forbidden']);
    expect(message).to.contain('127.0.0.1');
    expect((await world.api.get(path)).body.adb.refused).to.deep.equal({ address: 1 });
    const without = (await world.api.post(path, { allow: ['127.0.0.1'] })).body.adb;
    expect(without).not.to.have.property('tunnel');
  });

  it('leads the stock adb to the phone, and shows the session', async function () {
    if (!AdbClient.isThere()) skip(this, NEEDS_ADB);
    await enable();
    const folder = mkdtempSync(join(tmpdir(), 'tunnel-'));
    const port = await openTunnelPort((client) => carryOver(client, open()));
    const adb = await AdbClient.start();
    try {
      const serial = `127.0.0.1:${port.port}`;
      await adb.connectAnew(serial);
      const run = (...args: string[]) => adb.run('-s', serial, ...args);
      expect(await run('shell', 'echo out; echo err >&2; exit 5')).to.deep.include({
        ...{ status: 5, stdout: 'out\n', stderr: 'err\n' },
      });
      const bytes = randomBytes(6_000_001);
      writeFileSync(join(folder, 'there'), bytes);
      expect((await run('push', join(folder, 'there'), '/sdcard/f')).status).to.equal(0);
      expect((await run('pull', '/sdcard/f', join(folder, 'back'))).status).to.equal(0);
      expect(readFileSync(join(folder, 'back')).equals(bytes)).to.equal(true);
      expect((await run('reboot')).status).not.to.equal(0);
      const { sessions, refused } = (await world.api.get(path)).body.adb;
      expect(sessions).to.have.length(1);
      expect(sessions[0]).to.include({ address: '127.0.0.1', logged_in: true, tunnel: true });
      expect(refused).to.deep.equal({ reboot: 1 });
    } finally {
      await adb.close();
      port.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('is for control keys of the device alone', async () => {
    await enable();
    await world.api.createPhone({ name: 'other', start: false });
    const [reader, offList] = [await makeKey({ scope: 'read' }), await makeKey({ devices: ['other'] })];
    expect((await refusalOf(open('tunnelled', reader.key)))[0]).to.equal(403);
    expect((await refusalOf(open('tunnelled', offList.key)))[0]).to.equal(403);
    expect((await refusalOf(open('tunnelled', 'cp_wrong')))[0]).to.equal(401);
    expect((await refusalOf(open('nothing')))[0]).to.equal(404);
    expect((await refusalOf(open('other'))).slice(0, 2)).to.deep.equal([409, 'busy']);
    const share = (await world.api.post('/v1/devices/tunnelled/shares', { access: 'control' })).body.share;
    expect((await refusalOf(open('tunnelled', share.url.split('#')[1])))[0]).to.equal(401);
  });

  it('counts three connections over both ways', async () => {
    await enable();
    for (let count = 0; count < 3; count++) await open();
    const [status, kind] = await refusalOf(open());
    expect([status, kind]).to.deep.equal([409, 'busy']);
    expect((await world.api.get(path)).body.adb.refused).to.deep.equal({ sessions: 1 });
    opened[0]!.close();
    await until(async () => (await world.api.get(path)).body.adb.sessions.length === 2);
    await open();
  });

  it('carries bytes that are cut anywhere, and takes no text and no message over its bound', async () => {
    await enable();
    await greet(await open());
    const texting = await open();
    texting.send('text');
    expect((await closeOf(texting)).code).to.equal(1003);
    const large = await open();
    large.send(Buffer.alloc(1024 * 1024 + 25));
    expect((await closeOf(large)).code).to.equal(1009);
  });

  it('is closed with 4400 for bytes that are not of ADB', async () => {
    await enable();
    const ws = await open();
    ws.send(Buffer.from('GET / HTTP/1.1\r\nHost: phone\r\n\r\n'));
    const { code, reason } = await closeOf(ws);
    expect(code).to.equal(4400);
    expect(reason).to.match(/^bad_request: /);
  });

  const ends: [string, number, (key: { id: string }) => Promise<unknown>][] = [
    ['its key is revoked', 1008, ({ id }) => panel.ask('DELETE', `/v1/keys/${id}`)],
    [
      'its key works from other addresses alone',
      1008,
      ({ id }) => panel.ask('PATCH', `/v1/keys/${id}`, { allow: ['203.0.113.0/24'] }),
    ],
    ['its key may only read', 1008, ({ id }) => panel.ask('PATCH', `/v1/keys/${id}`, { scope: 'read' })],
    ['the relay is turned off', 4403, () => world.api.delete(path)],
    ['the relay is enabled anew', 4403, () => enable()],
    ['the phone stops', 4409, () => world.api.post('/v1/devices/tunnelled/stop')],
  ];
  for (const [what, code, end] of ends)
    it(`is closed with ${code} when ${what}`, async () => {
      await enable();
      const key = await makeKey({});
      const ws = await open('tunnelled', key.key);
      await greet(ws);
      const closed = closeOf(ws);
      const begunMs = systemClock.monotonicMs();
      await end(key);
      expect((await closed).code).to.equal(code);
      // The phone itself ends the connection as it stops. All else is noticed within a second, more on a busy machine.
      expect(systemClock.monotonicMs() - begunMs).to.be.lessThan(10_000);
      if (code === 4409) {
        await until(async () => (await world.api.get('/v1/devices/tunnelled')).body.device.state === 'stopped');
        await world.api.done(await world.api.post('/v1/devices/tunnelled/start'));
      }
    });

  it('is closed as busy with the reason when a person gets the phone, and comes back afterwards', async () => {
    await enable();
    const ws = await open();
    await greet(ws);
    const closed = closeOf(ws);
    const handovers = '/v1/devices/tunnelled/handovers';
    const { handover } = (await world.api.post(handovers, { reason: 'Type the code' })).body;
    const { code, reason } = await closed;
    expect(code).to.equal(4409);
    expect(reason).to.equal('busy: A person has the phone. Connect again once it is given back.');
    expect((await refusalOf(open())).slice(0, 2)).to.deep.equal([409, 'busy']);
    await world.api.delete(`${handovers}/${handover.id}`);
    // The relay stays on. It looks once a second whether the person has given the phone back.
    await until(async () => {
      const again = await open().catch(() => undefined);
      if (again !== undefined) await greet(again);
      return again !== undefined;
    });
  });

  it('is closed when its device is deleted, whose phone stops first', async () => {
    await world.api.createPhone({ name: 'doomed' });
    await world.api.post('/v1/devices/doomed/adb', { tunnel: true });
    const ws = await open('doomed');
    await greet(ws);
    const closed = closeOf(ws);
    await world.api.done(await world.api.delete('/v1/devices/doomed'));
    expect((await closed).code).to.be.oneOf([4404, 4409]);
    expect((await refusalOf(open('doomed')))[0]).to.equal(404);
  });
});
