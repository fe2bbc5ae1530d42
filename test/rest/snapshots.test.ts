import { expect } from 'chai';
import { AdbCommand } from '../../testing/phone/adb-command.js';
import { RealProxy } from '../../testing/real-proxy.js';
import { Site } from '../../testing/site.js';
import { until } from '../../testing/until.js';
import type { DeviceDocument } from '../../device-service/store/devices.js';
import { type PanelClient, signIn } from '../access/people.js';
import { shellOf } from '../network/phone-shell.js';
import type { Answer } from '../rest-client.js';
import { startWorld, type World } from '../world.js';
import { NEEDS_ADB, skip } from '../../testing/skip.js';

describe('snapshots', function () {
  let world: World;
  let site: Site;
  let owner: PanelClient;

  before(async () => {
    site = await Site.start();
    world = await startWorld({ addressUrl: `${site.url}/ip` });
    owner = await signIn(world);
    await world.api.createPhone({ name: 'phone' });
    await world.api.createPhone({ name: 'other', start: false });
  });
  after(async () => {
    await world.close();
    await site.close();
  });

  const shell = (script: string, device = 'phone'): Promise<string> => shellOf(world.database, device, script);
  /** The job, also when it failed. */
  async function ended(accepted: Answer) {
    expect(accepted.status, accepted.bytes.toString()).to.equal(202);
    return (await world.api.get(`/v1/jobs/${accepted.body.job.id as string}?wait_s=60`)).body.job;
  }
  const take = (device = 'phone', body: unknown = {}) => world.api.post(`/v1/devices/${device}/snapshots`, body);
  const restore = (id: string, device = 'phone') => world.api.post(`/v1/devices/${device}/snapshots/${id}/restore`);
  const clone = (id: string, body: unknown = {}, device = 'phone', headers: Record<string, string> = {}) =>
    world.api.post(`/v1/devices/${device}/snapshots/${id}/clone`, body, { headers });
  const remove = (id: string, device = 'phone') => world.api.delete(`/v1/devices/${device}/snapshots/${id}`);
  const list = async (device = 'phone', query = '') =>
    (await world.api.get(`/v1/devices/${device}/snapshots${query}`)).body;
  const device = async (name = 'phone') => (await world.api.get(`/v1/devices/${name}`)).body.device;

  async function saved(name = 'phone'): Promise<string> {
    const accepted = await take(name);
    expect(await ended(accepted)).to.include({ kind: 'snapshot', state: 'done' });
    return accepted.body.snapshot.id as string;
  }

  describe('202', () => {
    it('saves a running phone, which goes on running, and lists it', async () => {
      const before = await device();
      const accepted = await take('phone', { label: 'before the update' });
      expect(accepted.status).to.equal(202);
      const { job, snapshot } = accepted.body;
      expect(job).to.include({ kind: 'snapshot', state: 'running', device: 'phone' });
      expect(snapshot).to.deep.include({ device: 'phone', label: 'before the update', state: 'saving', size: 0, android: '14', model: 'phone-720p' }); // prettier-ignore
      expect(await ended(accepted)).to.deep.include({
        state: 'done',
        progress: 100,
        result: { snapshot: snapshot.id },
      });
      const [listed] = (await list()).snapshots;
      expect(listed).to.include({ id: snapshot.id, state: 'ready', created_at: snapshot.created_at });
      expect(listed.size).to.be.greaterThan(0);
      expect(listed.checksum).to.match(/^[0-9a-f]{64}$/);
      expect(await device()).to.include({ state: 'running', created_at: before.created_at });
    });

    it('rolls a phone back: files, apps’ data, settings and the screen', async () => {
      await shell('echo kept > /sdcard/file; settings put global snapshot_test 1');
      await world.api.post('/v1/devices/phone/act', { open_app: { app: 'com.cloudphone.notes' } });
      const id = await saved();
      await shell('echo changed > /sdcard/file; rm -r /sdcard/Download; settings put global snapshot_test 2');
      await world.api.post('/v1/devices/phone/act', { key: { name: 'home' } });
      const job = await ended(await restore(id));
      expect(job).to.deep.include({ kind: 'restore', state: 'done', progress: 100, result: { snapshot: id } });
      expect(await device())
        .to.include({ state: 'running' })
        .and.not.to.have.any.keys('problem', 'job');
      // The phone can be used at once, as the job ended only when the phone was back.
      expect(await shell('cat /sdcard/file; ls -d /sdcard/Download; settings get global snapshot_test')).to.equal(
        'kept\n/sdcard/Download\n1\n',
      );
      const seen = await world.api.get('/v1/devices/phone/observe?screenshot=none');
      expect(seen.body.observation.app).to.equal('com.cloudphone.notes');
    });

    it('saves a phone that is off, and restores one that is off or has failed, which runs from then on', async () => {
      await shell('echo off > /sdcard/file');
      await world.api.done(await world.api.post('/v1/devices/phone/stop'));
      const id = await saved();
      expect(await device()).to.include({ state: 'stopped' });
      expect(await ended(await restore(id))).to.include({ state: 'done' });
      expect(await device()).to.include({ state: 'running' });
      expect(await shell('cat /sdcard/file')).to.equal('off\n');
      const { _id: phoneId } = (await world.database.collection('devices').findOne({ name: 'phone' }))!;
      await world.phones.setFaults(String(phoneId), { bootFailure: 'system' }, false);
      const failed = await ended(await restore(id));
      expect(failed).to.include({ state: 'failed' });
      expect(failed.error.message).to.contain('did not boot');
      expect((await device()).problem).to.include({ kind: 'restore' });
      await world.phones.setFaults(String(phoneId), {}, false);
      expect(await ended(await restore(id))).to.include({ state: 'done' });
      expect(await device())
        .to.include({ state: 'running' })
        .and.not.to.have.any.keys('problem');
    });

    it('clones: a new phone with the same content and another identity, which the other does not touch', async () => {
      await shell('echo shared > /sdcard/file; settings put secure android_id 00112233445566ff');
      const id = await saved();
      const accepted = await clone(id, { name: 'copy' });
      expect(accepted.status).to.equal(202);
      expect(accepted.body.job).to.include({ kind: 'clone', state: 'running', device: 'copy' });
      expect(accepted.body.device).to.include({ name: 'copy', state: 'creating', plan: 'minute', model: 'phone-720p' });
      const job = await ended(accepted);
      expect(job).to.include({ state: 'done' });
      const { identity } = job.result;
      expect(job.result.snapshot).to.equal(id);
      const ask = 'getprop ro.serialno; settings get secure android_id; cat /sys/class/net/wlan0/address';
      expect(await shell(ask, 'copy')).to.equal(`${identity.serial}\n${identity.android_id}\n${identity.mac}\n`);
      const [serial, androidId, mac] = (await shell(ask)).split('\n');
      expect([identity.serial, identity.android_id, identity.mac]).to.not.include.members([serial, androidId, mac]);
      const copy = await device('copy');
      expect(copy.exit).to.deep.equal(identity.exit);
      expect(copy.exit.address).to.not.equal((await device()).exit.address);
      expect(copy.exit).to.include({ type: 'direct', country: 'us' });
      await shell('echo its own >> /sdcard/file', 'copy');
      await shell('echo the first >> /sdcard/file');
      expect(await shell('cat /sdcard/file', 'copy')).to.equal('shared\nits own\n');
      expect(await shell('cat /sdcard/file')).to.equal('shared\nthe first\n');
      expect(await ended(await restore(id))).to.include({ state: 'done' });
      expect(await shell('cat /sdcard/file')).to.equal('shared\n');
      await world.api.done(await world.api.delete('/v1/devices/copy'));
    });

    it('clones without a start, on another plan and exit, and with an Idempotency-Key once', async () => {
      const id = await saved();
      const body = { name: 'still', start: false, network: { type: 'mobile', country: 'jp' } };
      const key = { 'Idempotency-Key': 'one clone' };
      const [one, two] = await Promise.all([clone(id, body, 'phone', key), clone(id, body, 'phone', key)]);
      expect(one.bytes.toString()).to.equal(two.bytes.toString());
      expect((await clone(id, { ...body, name: 'more' }, 'phone', key)).status).to.equal(400);
      const job = await ended(one);
      expect(job).to.deep.include({ state: 'done', result: { snapshot: id } });
      const still = await device('still');
      expect(still).to.include({ state: 'stopped' });
      expect(still.exit).to.include({ type: 'mobile', country: 'jp', timezone: 'Asia/Tokyo' });
      await world.api.done(await world.api.post('/v1/devices/still/start'));
      expect(await shell('getprop persist.sys.timezone', 'still')).to.equal('Asia/Tokyo\n');
      await world.api.done(await world.api.delete('/v1/devices/still'));
    });

    it("goes by the caller's own proxy in a clone too, sealed for it", async () => {
      const proxy = await RealProxy.start({ scheme: 'socks5', login: (user, password) => user === 'cust' && password === 'S3cret', addressOf: () => '127.0.0.30' }); // prettier-ignore
      expect(await ended(await world.api.post('/v1/devices/phone/network', { proxy: proxy.url('cust:S3cret@') }))).to.include({ state: 'done' }); // prettier-ignore
      const id = await saved();
      expect(await ended(await clone(id, { name: 'proxied' }))).to.include({ state: 'done' });
      expect((await device('proxied')).exit).to.include({ type: 'custom' });
      expect(await shell(`curl -s ${site.url}/ip`, 'proxied')).to.equal('127.0.0.30');
      await until(async () => (await device('proxied')).exit.address === '127.0.0.30');
      const stored = await world.database
        .collection<{ name: string; exit: { proxy: string } }>('devices')
        .find()
        .toArray();
      const [first, second] = ['phone', 'proxied'].map((name) => stored.find((one) => one.name === name)?.exit.proxy);
      expect(first).to.not.equal(second);
      expect(JSON.stringify(stored)).to.not.contain('S3cret');
      await world.api.done(await world.api.post('/v1/devices/phone/network', { type: 'direct', country: 'us' }).then(async (answer) => (await ended(answer), answer))); // prettier-ignore
      await world.api.done(await world.api.delete('/v1/devices/proxied'));
      await proxy.close();
    });

    it('verifies the phone over ADB, as a customer’s adb finds it', async function () {
      const id = await saved();
      expect(await ended(await restore(id))).to.include({ state: 'done' });
      const stored = await world.database.collection<DeviceDocument>('devices').findOne({ name: 'phone' });
      const adb = await AdbCommand.start(stored!.endpoint!.port);
      if (!adb) {
        skip(this, NEEDS_ADB);
      }
      expect((await adb.run('shell', 'getprop sys.boot_completed')).stdout).to.equal('1\n');
      await adb.stop();
    });
  });

  describe('204', () => {
    it('deletes one, and all of a device with the device; clones stay', async () => {
      await world.api.createPhone({ name: 'short', start: false });
      const ids = [await saved('short'), await saved('short'), await saved('short')];
      expect(await ended(await clone(ids[1]!, { name: 'heir' }, 'short'))).to.include({ state: 'done' });
      expect((await remove(ids[0]!, 'short')).status).to.equal(204);
      expect((await remove(ids[0]!, 'short')).status).to.equal(404);
      expect((await list('short')).snapshots.map(({ id }: { id: string }) => id)).to.deep.equal([ids[2], ids[1]]);
      await world.api.done(await world.api.delete('/v1/devices/short'));
      expect(await world.database.collection('snapshots').countDocuments({ device: 'short' })).to.equal(0);
      await world.api.createPhone({ name: 'short', start: false });
      expect((await list('short')).snapshots).to.deep.equal([]);
      expect((await clone(ids[1]!, {}, 'short')).status).to.equal(404);
      expect(await shell('echo lives', 'heir')).to.equal('lives\n');
      for (const name of ['short', 'heir']) await world.api.done(await world.api.delete(`/v1/devices/${name}`));
    });
  });

  it('are listed page by page, newest first', async () => {
    const ids: string[] = [];
    for (let at = 0; at < 3; at++) ids.unshift(await saved('other'));
    const first = await list('other', '?limit=2');
    expect(first.snapshots.map(({ id }: { id: string }) => id)).to.deep.equal(ids.slice(0, 2));
    const second = await list('other', `?limit=2&cursor=${first.next_cursor as string}`);
    expect(second.snapshots.map(({ id }: { id: string }) => id)).to.deep.equal(ids.slice(2));
    expect(second).to.not.have.property('next_cursor');
    expect((await world.api.get('/v1/devices/other/snapshots?limit=0')).status).to.equal(400);
    expect((await world.api.get('/v1/devices/other/snapshots?cursor=x')).status).to.equal(400);
  });

  describe('404', () => {
    it('for a snapshot of another device, and one that there is not, with one text', async () => {
      const id = await saved('other');
      for (const ask of [restore, (of: string) => clone(of, { name: 'never' }), remove]) {
        const [foreign, missing] = [await ask(id), await ask('snap_none')];
        expect([foreign.status, foreign.body.error]).to.deep.equal([404, 'not_found']);
        expect(foreign.body.message.replace(id, '…')).to.equal(missing.body.message.replace('snap_none', '…'));
      }
      expect((await list('other')).snapshots[0]).to.include({ id, state: 'ready' });
    });
  });

  describe('400', () => {
    it('for a label that is too long, a name that is taken, and fields that there are not', async () => {
      const id = await saved();
      expect((await take('phone', { label: 'x'.repeat(101) })).body.message).to.contain('label');
      expect((await clone(id, { name: 'other' })).body.message).to.contain('"other" is taken');
      expect((await clone(id, { name: 'Not A Name' })).status).to.equal(400);
      expect((await clone(id, { device: 'other' })).body.message).to.contain('Unknown field "device"');
      expect((await clone(id, { network: { type: 'mobile', country: 'xx' } })).body.message).to.contain(
        'network.country',
      );
      expect((await clone(id, { plan: 'year' })).status).to.equal(400);
    });
  });

  describe('409', () => {
    it('while another job is at work, with its id', async () => {
      const id = await saved();
      const accepted = await restore(id);
      for (const busy of [await take(), await restore(id)]) {
        expect(busy.body).to.include({ error: 'busy' });
        expect(busy.body.message).to.contain(accepted.body.job.id);
      }
      const deleted = await remove(id);
      expect(deleted.status).to.equal(409);
      expect(deleted.body.message).to.contain('being restored');
      await ended(accepted);
    });
  });

  describe('402', () => {
    it('for a clone that the balance does not cover, and nothing is made', async () => {
      const id = await saved();
      const before = (await world.api.get('/v1/devices')).body.devices.length;
      const refused = await clone(id, { name: 'dear', plan: 'month' });
      expect(refused.status).to.equal(402);
      expect(refused.body).to.include({ error: 'insufficient_funds' });
      expect((await world.api.get('/v1/devices')).body.devices).to.have.length(before);
    });
  });

  it('say in the models that they can be taken', async () => {
    const { models } = (await world.api.get('/v1/models')).body;
    expect(models[0]).to.include({ model: 'phone-720p', snapshots: true });
  });

  it('of a device off the list of a key are forbidden; a key sees the clone that it made', async () => {
    const id = await saved();
    const offList = world.api.as(await owner.createKey({ devices: ['other'] }));
    expect((await offList.get('/v1/devices/phone/snapshots')).status).to.equal(403);
    expect((await offList.post(`/v1/devices/phone/snapshots/${id}/restore`)).status).to.equal(403);
    const source = await saved('other');
    const accepted = await offList.post(`/v1/devices/other/snapshots/${source}/clone`, { name: 'mine', start: false });
    expect(accepted.status).to.equal(202);
    await ended(accepted);
    expect((await offList.get('/v1/devices/mine')).status).to.equal(200);
    const reader = world.api.as(await owner.createKey({ scope: 'read' }));
    expect((await reader.get('/v1/devices/phone/snapshots')).status).to.equal(200);
    expect((await reader.post('/v1/devices/phone/snapshots')).status).to.equal(403);
    await world.api.done(await world.api.delete('/v1/devices/mine'));
  });
});
