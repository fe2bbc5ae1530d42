import { expect } from 'chai';
import { type PanelClient, signIn, signUp } from '../access/people.js';
import { shellOf } from '../network/phone-shell.js';
import type { Answer, RestClient } from '../rest-client.js';
import { startWorld, type World } from '../world.js';

const NETWORK = { type: 'direct', country: 'us' };

describe('templates', () => {
  let world: World;
  let owner: PanelClient;
  /** A ready snapshot of the device `phone`. */
  let snapshot: string;

  before(async () => {
    world = await startWorld();
    owner = await signIn(world);
    await world.api.createPhone({ name: 'phone' });
    await shell('echo golden > /sdcard/file; settings put global template_test 7');
    snapshot = await saved();
  });
  after(() => world.close());

  const shell = (script: string, device = 'phone'): Promise<string> => shellOf(world.database, device, script);
  /** The job, also when it failed. */
  async function ended(accepted: Answer) {
    expect(accepted.status, accepted.bytes.toString()).to.equal(202);
    return (await world.api.get(`/v1/jobs/${accepted.body.job.id as string}?wait_s=60`)).body.job;
  }
  async function saved(device = 'phone'): Promise<string> {
    const accepted = await world.api.post(`/v1/devices/${device}/snapshots`);
    expect(await ended(accepted)).to.include({ state: 'done' });
    return accepted.body.snapshot.id as string;
  }
  const save = (name: string, of = snapshot, by: RestClient = world.api): Promise<Answer> =>
    by.post('/v1/templates', { snapshot: of, name });
  async function ready(name: string, of = snapshot): Promise<void> {
    expect(await ended(await save(name, of))).to.include({ state: 'done' });
  }
  const make = (name: string, template: string, more: object = {}, by: RestClient = world.api): Promise<Answer> =>
    by.post('/v1/devices', { name, template, network: NETWORK, plan: 'minute', ...more });
  const read = async (name: string) => (await world.api.get(`/v1/templates/${name}`)).body.template;
  const remove = (name: string): Promise<Answer> => world.api.delete(`/v1/templates/${name}`);
  const names = async (query = '') => {
    const { templates, next_cursor: next } = (await world.api.get(`/v1/templates${query}`)).body;
    return { names: templates.map(({ name }: { name: string }) => name), next };
  };
  const forget = async (...devices: string[]): Promise<void> => {
    for (const name of devices) await world.api.done(await world.api.delete(`/v1/devices/${name}`));
  };

  describe('202', () => {
    it('are made of a snapshot while the phone goes on running, and show what they are', async () => {
      const accepted = await save('golden');
      expect(accepted.status, accepted.bytes.toString()).to.equal(202);
      const { job, template } = accepted.body;
      expect(job).to.include({ kind: 'template', state: 'running', device: 'phone' });
      expect(template).to.deep.include({
        name: 'golden',
        model: 'phone-720p',
        android: '14',
        size: 0,
        state: 'saving',
      });
      expect(await ended(accepted)).to.deep.include({ state: 'done', progress: 100, result: { template: 'golden' } });
      const shown = await read('golden');
      expect(shown).to.include({ id: template.id, created_at: template.created_at, state: 'ready' });
      expect(shown.size).to.be.greaterThan(0);
      expect((await world.api.get('/v1/devices/phone')).body.device).to.include({ state: 'running' });
      expect((await world.api.get('/v1/jobs?device=phone')).body.jobs[0]).to.include({ kind: 'template' });
    });

    it('make devices with the same content and identities of their own, which do not touch each other', async () => {
      const made = await make('first', 'golden', { labels: { team: 'qa' }, idle_stop_s: 600 });
      expect(made.body.job).to.include({ kind: 'create', state: 'running', device: 'first' });
      expect(made.body.device).to.include({ model: 'phone-720p', android: '14', state: 'creating', plan: 'minute' });
      expect(made.body.device).to.deep.include({ labels: { team: 'qa' }, idle_stop_s: 600 });
      const job = await ended(made);
      expect(job).to.include({ state: 'done', progress: 100 }).and.not.to.have.property('result');
      expect(await ended(await make('second', 'golden', { start: false }))).to.include({ state: 'done' });
      expect((await world.api.get('/v1/devices/second')).body.device).to.include({ state: 'stopped' });
      await world.api.done(await world.api.post('/v1/devices/second/start'));
      const content = 'cat /sdcard/file; settings get global template_test';
      for (const device of ['first', 'second']) expect(await shell(content, device)).to.equal('golden\n7\n');
      const ids = 'getprop ro.serialno; settings get secure android_id; cat /sys/class/net/wlan0/address';
      const found = await Promise.all(['phone', 'first', 'second'].map((device) => shell(ids, device)));
      expect(new Set(found.flatMap((text) => text.trim().split('\n'))).size).to.equal(9);
      await shell('echo changed > /sdcard/file', 'first');
      expect(await shell('cat /sdcard/file', 'second')).to.equal('golden\n');
      expect(await ended(await make('third', 'golden'))).to.include({ state: 'done' });
      expect(await shell('cat /sdcard/file', 'third')).to.equal('golden\n');
      await forget('first', 'second', 'third');
    });

    it('take another network, and one device for an Idempotency-Key', async () => {
      const headers = { 'idempotency-key': 'template-1' };
      const body = { template: 'golden', network: { type: 'mobile', country: 'jp' }, plan: 'minute', start: false };
      const [first, second] = [
        await world.api.post('/v1/devices', body, { headers }),
        await world.api.post('/v1/devices', body, { headers }),
      ];
      expect(second.body.device.name).to.equal(first.body.device.name);
      expect(second.headers.get('idempotency-replayed')).to.equal('true');
      expect(await ended(first)).to.include({ state: 'done' });
      const { device } = (await world.api.get(`/v1/devices/${first.body.device.name as string}`)).body;
      expect(device.exit).to.include({ type: 'mobile', country: 'jp' });
      await forget(device.name);
    });

    it('are made of the snapshot of a stopped phone, and outlive both', async () => {
      await world.api.createPhone({ name: 'short', start: false });
      await ready('heirloom', await saved('short'));
      await forget('short');
      expect(await ended(await make('heir', 'heirloom'))).to.include({ state: 'done' });
      expect(await shell('echo lives', 'heir')).to.equal('lives\n');
      // A snapshot of such a device can be a template again.
      await ready('second-generation', await saved('heir'));
      expect((await remove('heirloom')).status).to.equal(204);
      expect(await ended(await make('grandchild', 'second-generation', { start: false }))).to.include({
        state: 'done',
      });
      expect((await remove('second-generation')).status).to.equal(204);
      await forget('heir', 'grandchild');
    });

    it('count in the storage of the account once, with their size', async () => {
      const used = async (): Promise<number> =>
        (await world.api.get('/v1/account')).body.account.quotas.storage_bytes.used as number;
      const before = await used();
      await ready('counted');
      const { size } = await read('counted');
      expect((await used()) - before).to.equal(size);
      await remove('counted');
      expect(await used()).to.equal(before);
    });
  });

  describe('200', () => {
    it('are listed page by page, by name', async () => {
      for (const name of ['c', 'a', 'b']) await ready(name);
      const first = await names('?limit=2');
      expect(first.names).to.deep.equal(['a', 'b']);
      expect(await names(`?limit=2&cursor=${first.next as string}`)).to.deep.equal({
        names: ['c', 'golden'],
        next: undefined,
      });
      expect((await world.api.get('/v1/templates?limit=0')).status).to.equal(400);
      expect((await world.api.get('/v1/templates?cursor=x')).status).to.equal(400);
      for (const name of ['a', 'b', 'c']) expect((await remove(name)).status).to.equal(204);
    });

    it('are seen by each key of the account, and made of snapshots that the key sees', async () => {
      await world.api.createPhone({ name: 'listed', start: false });
      const offList = world.api.as(await owner.createKey({ devices: ['listed'] }));
      expect((await offList.get('/v1/templates/golden')).status).to.equal(200);
      const hidden = await save('stolen', snapshot, offList);
      const missing = await save('stolen', 'snap_none', offList);
      expect([hidden.status, missing.status]).to.deep.equal([404, 404]);
      expect(hidden.body).to.deep.equal(missing.body);
      expect(await ended(await make('own', 'golden', { start: false }, offList))).to.include({ state: 'done' });
      expect((await offList.get('/v1/devices/own')).status).to.equal(200);
      const reader = world.api.as(await owner.createKey({ scope: 'read' }));
      expect((await reader.get('/v1/templates')).body.templates).to.have.length(1);
      expect((await save('never', snapshot, reader)).status).to.equal(403);
      expect((await reader.delete('/v1/templates/golden')).status).to.equal(403);
      await forget('own', 'listed');
    });
  });

  describe('400', () => {
    it('for names that are none, of which nothing is made', async () => {
      const hostile = [
        '',
        'Golden',
        '1st',
        '-x',
        'a'.repeat(41),
        '../../etc',
        'a b',
        'a\u0000b',
        'ä',
        '$ne',
        'tpl_1',
        'a/b',
        'a\n',
      ];
      for (const name of hostile) {
        const refused = await save(name);
        expect([refused.status, refused.body.error], JSON.stringify(name)).to.deep.equal([400, 'bad_request']);
        expect(refused.body.message).to.contain('name');
        expect((await make('never', name)).status, JSON.stringify(name)).to.equal(400);
      }
      for (const of of ['', '../x', 'a'.repeat(65), '$ne', 'tpl_none', 'ph_none'])
        expect((await save('never', of)).status, of).to.be.oneOf([400, 404]);
      expect((await names()).names).to.deep.equal(['golden']);
    });

    it('for a name that is taken, also by ten requests at once', async () => {
      expect((await save('golden')).body.message).to.contain('"golden" is taken');
      const answers = await Promise.all(Array.from({ length: 10 }, () => save('once')));
      const accepted = answers.filter(({ status }) => status === 202);
      expect(accepted).to.have.length(1);
      for (const { status } of answers) expect(status).to.be.oneOf([202, 400, 409]);
      await ended(accepted[0]!);
      expect((await names()).names).to.deep.equal(['golden', 'once']);
      await remove('once');
    });

    it('for a device of neither or both of model and template, of an Android version, or of no template', async () => {
      const neither = await world.api.post('/v1/devices', { network: NETWORK, plan: 'minute' });
      const both = await make('never', 'golden', { model: 'phone-720p' });
      for (const { status, body } of [neither, both])
        expect([status, body.message]).to.deep.equal([400, 'model: exactly one of model and template must be sent']);
      expect((await make('never', 'golden', { android: '14' })).body.message).to.contain('android');
      expect((await make('never', 'silver')).body.message).to.contain('no template "silver"');
      expect((await make('never', 'golden', { network: undefined })).body.message).to.contain('network');
    });

    it('for a template whose model, version or driver is not offered any more, with the reason', async () => {
      const templates = world.database.collection('templates');
      for (const [change, reason] of [
        [{ model: 'phone-gone' }, 'no host offers its model "phone-gone"'],
        [{ android: '4' }, 'Android 4'],
        [{ driver: 'container' }, 'of the kind "container"'],
      ] as const) {
        const { model, android, driver } = (await templates.findOne({ name: 'golden' }))!;
        await templates.updateOne({ name: 'golden' }, { $set: change });
        const refused = await make('never', 'golden');
        expect([refused.status, refused.body.error]).to.deep.equal([400, 'bad_request']);
        expect(refused.body.message).to.contain(reason);
        await templates.updateOne({ name: 'golden' }, { $set: { model, android, driver } });
      }
      expect((await world.api.get('/v1/devices/never')).status).to.equal(404);
    });
  });

  describe('404', () => {
    it('for a template of another account, and one that there is not, with one text', async () => {
      const stranger = await signUp(world, 'stranger@example.com');
      const foreign = world.api.as(await stranger.createKey());
      for (const method of ['GET', 'DELETE']) {
        const theirs = await foreign.ask(method, '/v1/templates/golden');
        const none = await foreign.ask(method, '/v1/templates/nothing');
        expect([theirs.status, none.status]).to.deep.equal([404, 404]);
        expect(theirs.body.message.replace('golden', '…')).to.equal(none.body.message.replace('nothing', '…'));
      }
      expect((await foreign.get('/v1/templates')).body.templates).to.deep.equal([]);
      expect((await make('mine', 'golden', {}, foreign)).status).to.equal(400);
      expect((await save('mine', snapshot, foreign)).status).to.equal(404);
    });
  });

  describe('409', () => {
    it('while it is being saved, its device is busy, or its snapshot is in use', async () => {
      const accepted = await save('slow');
      const jobId = accepted.body.job.id as string;
      const answers = await Promise.all([
        save('other'),
        make('never', 'slow'),
        remove('slow'),
        world.api.delete(`/v1/devices/phone/snapshots/${snapshot}`),
      ]);
      // The job may have ended before one of them.
      for (const { status, body } of answers) {
        if (status !== 409) continue;
        expect(body.message).to.contain(jobId);
      }
      await ended(accepted);
      if (answers[0].status === 202) await ended(answers[0]);
    });
  });

  describe('429', () => {
    it('for one more than an account may have, until one is deleted', async () => {
      const templates = world.database.collection<{ _id: string }>('templates');
      const { _id, nameKey, name, ...golden } = (await templates.findOne({ name: 'golden' }))! as Record<
        string,
        unknown
      >;
      const copies = Array.from({ length: 100 - (await names()).names.length }, (_, at) => ({
        ...golden,
        ...{ _id: `tpl_copy_${at}`, name: `copy-${at}`, nameKey: String(nameKey).replace(String(name), `copy-${at}`) },
      }));
      expect(_id).to.be.a('string');
      await templates.insertMany(copies);
      const refused = await save('one-more');
      expect([refused.status, refused.body.error]).to.deep.equal([429, 'rate_limited']);
      expect(refused.body.message).to.contain('at most 100 templates');
      expect((await remove('copy-0')).status).to.equal(204);
      expect(await ended(await save('one-more'))).to.include({ state: 'done' });
      await remove('one-more');
      await templates.deleteMany({ _id: { $in: copies.map((copy) => copy._id) } });
    });
  });

  describe('403', () => {
    it('where the account would use more storage than it may, by the name of the quota', async () => {
      const small = await startWorld({ quotas: { devices: 2, storageBytes: 1e9 } });
      try {
        await small.api.createPhone({ name: 'one', start: false });
        const taken = await small.api.post('/v1/devices/one/snapshots');
        await small.api.done(taken);
        await small.database.collection('snapshots').updateMany({}, { $set: { sizeBytes: 6e8 } });
        const refused = await small.api.post('/v1/templates', { snapshot: taken.body.snapshot.id, name: 'golden' });
        expect([refused.status, refused.body.error]).to.deep.equal([403, 'forbidden']);
        expect(refused.body.message).to.contain('quota "storage_bytes"').and.to.contain('0.60 GB by snapshots');
        expect((await small.api.get('/v1/templates')).body.templates).to.deep.equal([]);
      } finally {
        await small.close();
      }
    });
  });

  it('go on to make a device whose template somebody tries to delete', async () => {
    await ready('wanted');
    const network = { type: 'direct', country: 'us' };
    const body = { name: 'made', template: 'wanted', plan: 'minute', network };
    const making = await world.api.post('/v1/devices', body);
    const tries = await Promise.all([1, 2, 3, 4, 5].map(() => world.api.delete('/v1/templates/wanted')));
    expect(tries.map(({ status }) => status)).to.deep.equal([409, 409, 409, 409, 409]);
    await world.api.done(making);
    await forget('made');
    expect((await world.api.delete('/v1/templates/wanted')).status).to.equal(204);
  });

  it('whose files are lost fail the job of a device with the reason, and nothing is made', async () => {
    await ready('lost');
    const { id } = await read('lost');
    await world.phones.deleteSnapshot(id);
    const job = await ended(await make('victim', 'lost'));
    expect(job).to.include({ state: 'failed' });
    expect(job.error.message).to.contain('The files of the template "lost" are not on this host');
    expect((await world.api.get('/v1/devices/victim')).body.device.problem).to.include({ kind: 'create' });
    await forget('victim');
    await remove('lost');
  });
});
