import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { type PanelClient, signIn, signUp } from '../access/people.js';
import { startWorld, type World } from '../world.js';

describe('shares', () => {
  let world: World;
  let panel: PanelClient;
  before(async () => {
    world = await startWorld();
    panel = await signIn(world);
    await world.api.createPhone({ name: 'demo' });
    await world.api.createPhone({ name: 'other', start: false });
  });
  after(() => world.close());

  const SHARES = '/v1/devices/demo/shares';
  const make = (body: object = { access: 'read' }, api = world.api) => api.post(SHARES, body);
  const tokenOf = (url: string): string => url.split('#')[1] ?? '';

  it('are made with a link, which no list has, and show what they open', async () => {
    const startedMs = Date.now();
    const made = await make({ access: 'control', lifetime_s: 60 });
    expect([made.status, made.headers.get('cache-control')]).to.deep.equal([201, 'no-store']);
    const { share } = made.body;
    expect(share).to.have.all.keys('id', 'access', 'url', 'created_at', 'expires_at', 'created_by');
    expect(share.url).to.match(new RegExp(`^${world.mesh.url}/share#sh_[A-Za-z0-9]{43}$`));
    expect(Date.parse(share.expires_at) - Date.parse(share.created_at)).to.equal(60_000);
    expect(Date.parse(share.created_at)).to.be.within(startedMs, Date.now());

    const own = await world.api.as(tokenOf(share.url)).get('/v1/share');
    expect(own.body.share).to.include({ id: share.id, device: 'demo', model: 'phone-720p', state: 'running', access: 'control', expires_at: share.expires_at }); // prettier-ignore
    expect(own.body.share.expires_in_s).to.be.within(1, 60);
    expect(own.body.share).to.have.all.keys('id', 'device', 'model', 'state', 'access', 'expires_at', 'expires_in_s');

    const byPanel = (await panel.ask('POST', SHARES, { access: 'read' })).body.share;
    const reader = world.api.as(await panel.createKey({ scope: 'read' }));
    const { shares } = (await reader.get(SHARES)).body;
    expect(shares.map(({ id }: { id: string }) => id)).to.deep.equal([byPanel.id, share.id]);
    expect(shares[0]).to.deep.include({ created_by: 'panel', access: 'read' });
    expect(shares[1]).to.have.property('last_used_at');
    expect(JSON.stringify(shares)).not.to.include('sh_');
    const stored = JSON.stringify(await world.database.collection('shares').find().toArray());
    expect(stored).not.to.include(tokenOf(share.url));
    expect(stored).to.include(createHash('sha256').update(tokenOf(share.url)).digest('hex'));
    const page = (await world.api.get(`${SHARES}?limit=1`)).body;
    const next = (await world.api.get(`${SHARES}?limit=1&cursor=${page.next_cursor}`)).body;
    expect([...page.shares, ...next.shares]).to.deep.equal(shares);
    for (const { id } of shares) expect((await world.api.delete(`${SHARES}/${id}`)).status).to.equal(204);
    expect((await world.api.get(SHARES)).body.shares).to.deep.equal([]);
  });

  it('are of a day unless their time is given', async () => {
    const { share } = (await make()).body;
    expect(Date.parse(share.expires_at) - Date.parse(share.created_at)).to.equal(86_400_000);
  });

  it('are 400 for another access or time, or unknown fields', async () => {
    for (const body of [
      {},
      { access: 'owner' },
      { access: 'read', lifetime_s: 59 },
      { access: 'read', lifetime_s: 604_801 },
      { access: 'read', lifetime_s: 1.5 },
      { access: 'read', uses: 1 },
    ]) {
      const { status, body: refusal } = await make(body);
      expect([status, refusal.error], JSON.stringify(body)).to.deep.equal([400, 'bad_request']);
    }
    expect((await make({ access: 'read', lifetime_s: 604_800 })).status).to.equal(201);
  });

  it('are 403 for keys that only read, which may list them', async () => {
    const reader = world.api.as(await panel.createKey({ scope: 'read' }));
    const { share } = (await make()).body;
    expect((await make({ access: 'read' }, reader)).status).to.equal(403);
    expect((await reader.delete(`${SHARES}/${share.id}`)).status).to.equal(403);
    expect((await reader.get(SHARES)).status).to.equal(200);
  });

  it('are 404 where they are another device’s, or another account’s, or ended', async () => {
    const { share } = (await make()).body;
    const stranger = world.api.as(await (await signUp(world, 'stranger@example.com')).createKey());
    expect((await stranger.delete(`${SHARES}/${share.id}`)).status).to.equal(404);
    expect((await world.api.delete(`/v1/devices/other/shares/${share.id}`)).status).to.equal(404);
    expect((await world.api.as(tokenOf(share.url)).get('/v1/share')).status).to.equal(200);
    expect((await world.api.delete(`${SHARES}/${share.id}`)).status).to.equal(204);
    expect((await world.api.as(tokenOf(share.url)).get('/v1/share')).status).to.equal(401);
    expect((await world.api.delete(`${SHARES}/${share.id}`)).status).to.equal(404);
    expect((await world.api.get('/v1/share')).status).to.equal(404);
  });

  it('are 401 for tokens that are nearly right, with the text of a wrong key', async () => {
    const token = tokenOf((await make()).body.share.url);
    const wrong = await world.api.as('cp_wrong').get('/v1/share');
    for (const text of [token.slice(0, -1), `${token}a`, token.toLowerCase(), `cp_${token.slice(3)}`, 'sh_']) {
      const { status, bytes } = await world.api.as(text).get('/v1/share');
      expect([status, bytes.toString()]).to.deep.equal([401, wrong.bytes.toString()]);
    }
  });

  it('are at most 20 of a device, also when 200 are requested at the same time', async () => {
    await world.api.createPhone({ name: 'popular', start: false });
    const path = '/v1/devices/popular/shares';
    const make = async () => {
      let response = await world.api.post(path, { access: 'read' });
      // The database of a busy machine may be too late for so many, and clients are to repeat that.
      while (response.status === 503) response = await world.api.post(path, { access: 'read' });
      return response;
    };
    const made = await Promise.all(Array.from({ length: 200 }, make));
    const good = (await world.api.get(path)).body.shares as { id: string }[];
    expect(good).to.have.length(20);
    expect(made.filter(({ status }) => status === 201)).to.have.length.within(1, 20);
    for (const { status, body } of made.filter(({ status }) => status !== 201)) {
      expect([status, body.error]).to.deep.equal([403, 'forbidden']);
      expect(body.message).to.include('DELETE /v1/devices/popular/shares/{id}');
    }
    await world.api.delete(`${path}/${good[7]?.id}`);
    expect((await world.api.post(path, { access: 'read' })).status).to.equal(201);
    expect((await world.api.post(path, { access: 'read' })).status).to.equal(403);
  });

  it('are opened by a page that no other site may frame, and that sends no Referer', async () => {
    const { headers, status } = await fetch(`${world.mesh.url}/share`, { headers: { accept: 'text/html' } });
    expect(status).to.equal(200);
    expect(headers.get('referrer-policy')).to.equal('no-referrer');
    expect(headers.get('content-security-policy'))
      .to.include("frame-ancestors 'none'")
      .and.include("script-src 'self'");
  });
});

describe('guessing tokens of shares', () => {
  it('is bounded for an address like guessing keys', async () => {
    const world = await startWorld({ limits: { maxAnonymousRequests: 10 } });
    try {
      await world.api.createPhone({ name: 'demo' });
      const { share } = (await world.api.post('/v1/devices/demo/shares', { access: 'read' })).body;
      const right = world.api.as(share.url.split('#')[1]);
      expect((await right.get('/v1/share')).status).to.equal(200);
      const statuses: number[] = [];
      for (let guess = 0; guess < 100; guess++) {
        const token = `sh_${String(guess).padStart(43, 'a')}`;
        statuses.push((await world.api.as(token).get('/v1/share')).status);
      }
      expect(statuses.filter((status) => status === 401)).to.have.length(10);
      expect(new Set(statuses.slice(10))).to.deep.equal(new Set([429]));
      // People who have a share go on.
      expect((await right.get('/v1/share')).status).to.equal(200);
    } finally {
      await world.close();
    }
  });
});
