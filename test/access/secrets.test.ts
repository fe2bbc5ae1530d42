import { randomBytes } from 'node:crypto';
import { Writable } from 'node:stream';
import { expect } from 'chai';
import { pino } from 'pino';
import { HANDSHAKE, RestClient } from '../rest-client.js';
import { startWorld, type World } from '../world.js';
import { signIn, signUp } from './people.js';

/** How many secrets are planted at the least. */
const PLANTED = 100;

describe('secrets', () => {
  let world: World;
  let logged = '';

  before(async () => {
    const sink = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        logged += chunk.toString();
        done();
      },
    });
    world = await startWorld({ log: pino({ level: 'trace' }, sink), allowPrivateTargets: true });
  });
  after(() => world.close());

  it('that callers send in every place there is are in no log line and no response', async function () {
    const planted: string[] = [];
    const plant = (): string => {
      const secret = `S3cr3t${randomBytes(12).toString('hex')}`;
      planted.push(secret);
      return secret;
    };
    const anyone = new RestClient(world.mesh.url, undefined);
    const responses: string[] = [];
    const note = async (response: Promise<{ bytes: Buffer; headers: Headers }>): Promise<void> => {
      const { bytes, headers } = await response;
      responses.push(bytes.toString(), JSON.stringify([...headers]));
    };
    const panel = await signIn(world);
    for (let round = 0; round < 8; round++) {
      const email = `person-${round}@example.com`;
      const password = plant();
      await signUp(world, email, password);
      await note(anyone.post('/v1/account', { email, password: plant() }));
      await note(anyone.post('/v1/account', { email: 'not an address', password: plant() }));
      await note(anyone.post('/v1/session', { email, password: plant() }));
      await note(anyone.post('/v1/session', { email, password: [plant()] }));
      await note(anyone.post('/v1/session', `{"email": "${email}", "password": "${plant()}`));
      await note(anyone.as(`cp_${plant()}${'a'.repeat(40)}`).get('/v1/devices'));
      await note(anyone.as(plant()).get('/v1/devices'));
      await note(anyone.get('/v1/devices', { headers: { cookie: `cp_session=${plant()}` } }));
      await note(anyone.get('/v1/devices', { headers: { authorization: `Session cps_${plant()}` } }));
      await note(anyone.get(`/v1/devices?authorization=${plant()}`));
      await note(anyone.get(`/v1/${plant()}`));
      await note(
        panel.ask('POST', '/v1/keys', {
          name: 'hook',
          scope: 'read',
          devices: ['*'],
          webhook_url: `ftp://user:${plant()}@example.com`,
        }),
      );
    }
    // What we made ourselves is a secret too; it may be in the one response that gives it, which is not noted.
    const cookies = [panel.cookie.split('=')[1] ?? ''];
    const keys = [await panel.createKey(), await panel.createKey({ scope: 'read' }), world.key];
    for (const key of keys) await note(anyone.as(key).get('/v1/devices'));
    await note(panel.ask('GET', '/v1/keys'));
    await note(panel.ask('GET', '/v1/account'));
    const device = await world.api.createPhone({ name: 'shared' });
    const shared = await world.api.post(`/v1/devices/${device}/shares`, { access: 'control' });
    const token = (shared.body.share.url as string).split('#')[1] ?? '';
    await note(anyone.as(token).get('/v1/share'));
    await note(anyone.as(token).get('/v1/devices'));
    await note(anyone.as(`${token}x`).get('/v1/share'));
    await note(anyone.get(`/v1/share?token=${token}`));
    const offer = { headers: { ...HANDSHAKE, 'sec-websocket-protocol': `cloudphone.share, ${token}` } };
    await note(anyone.get(`/v1/devices/${device}/live`, offer));
    await note(world.api.get(`/v1/devices/${device}/shares`));

    const secrets = [...planted, ...cookies, ...keys, token, world.password];
    expect(secrets.length).to.be.at.least(PLANTED);
    expect(logged.split('\n').length).to.be.greaterThan(PLANTED);
    const responded = responses.join('\n');
    for (const secret of secrets) {
      expect(logged.includes(secret), `logged ${secret}`).to.equal(false);
      // An unknown field or value is named in a refusal; that of a password or a key never is.
      expect(responded.includes(secret), `answered ${secret}`).to.equal(false);
    }
  });
});
