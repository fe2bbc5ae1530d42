import { mkdtempSync } from 'node:fs';
import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { systemClock } from '../../kit/async/clock.js';
import { killTree } from '../../testing/process-tree.js';
import { until } from '../../testing/until.js';
import { type Installation, startInstallation, removeData } from '../installation.js';
import { RestClient, type Answer } from '../rest-client.js';

const start = fileURLToPath(new URL('../../start.js', import.meta.url));

/** After which time the kill comes, ms: from before anything was done to after all of it, on machines of different speed. */
const KILLS_MS = [0, 40, 150];

describe('kill -9 of the service and of its phones, in the middle of a snapshot', function () {
  this.timeout(900_000);
  let directory: string;
  let running: Installation;
  let api: RestClient;
  /** The id of the phone with the marker. */
  let phoneId: string;

  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'cloudphone-kill-'));
    await begin();
    await api.createPhone({ name: 'phone' });
    [phoneId = ''] = await readdir(join(directory, 'simulator/phones'));
    // So that there is something to be in the middle of.
    for (let at = 0; at < 300; at++) await writeFile(join(shared(phoneId), `file${at}`), String(at).repeat(1_000));
  });
  after(async () => {
    await running.stop();
    await removeData(directory);
  });

  async function begin(): Promise<void> {
    const environment = { SIMULATED_BOOT_MS: '50', SIMULATED_PROCESSES: '1' };
    running = await startInstallation({ directory, start, environment });
    api = new RestClient(running.baseUrl.replace(/\/v1$/, ''), running.key);
  }

  /** Kills everything, starts again, and returns the job once it has ended. */
  async function killedThenEnded(accepted: Answer, afterMs: number): Promise<{ state: string }> {
    expect(accepted.status, accepted.bytes.toString()).to.equal(202);
    await systemClock.sleep(afterMs);
    killTree(running.pid);
    await running.kill();
    await begin();
    const { body } = await api.get(`/v1/jobs/${accepted.body.job.id as string}?wait_s=60`);
    return body.job;
  }
  async function killedThenDone(accepted: Answer, afterMs: number): Promise<void> {
    expect(await killedThenEnded(accepted, afterMs), `killed after ${afterMs} ms`).to.include({ state: 'done' });
  }

  const shared = (id: string): string => join(directory, 'simulator/phones', id, 'state/files/storage/emulated/0');
  const marker = (id: string): Promise<string> => readFile(join(shared(id), 'marker'), 'utf8');
  /** Writes a file by a rename, as the phone does with a file that a snapshot has too. */
  async function mark(text: string): Promise<void> {
    await writeFile(join(shared(phoneId), 'marker.new'), text);
    await rename(join(shared(phoneId), 'marker.new'), join(shared(phoneId), 'marker'));
  }
  async function saved(): Promise<string> {
    const accepted = await api.post('/v1/devices/phone/snapshots');
    await api.done(accepted);
    return accepted.body.snapshot.id as string;
  }
  /** Waits until the phone shows its screen: a phone that was killed too is started again some time after the service. */
  async function isUsable(name: string): Promise<void> {
    await until(async () => (await api.get(`/v1/devices/${name}/screenshot`)).status === 200, 60_000);
    expect((await api.get(`/v1/devices/${name}`)).body.device).to.include({ state: 'running' });
  }

  it('saves all of it, or reports that the phone ended before and keeps nothing', async () => {
    for (const afterMs of KILLS_MS) {
      await mark(`saved ${afterMs}`);
      const accepted = await api.post('/v1/devices/phone/snapshots');
      const { state } = await killedThenEnded(accepted, afterMs);
      const { id } = accepted.body.snapshot as { id: string };
      await isUsable('phone');
      const { snapshots } = (await api.get('/v1/devices/phone/snapshots')).body;
      const snapshot = snapshots.find((one: { id: string }) => one.id === id);
      const files = await readdir(join(directory, 'simulator/snapshots'));
      expect(snapshot).to.include({ state: state === 'done' ? 'ready' : 'failed' });
      expect(files.includes(id)).to.equal(state === 'done');
      if (state !== 'done') continue;
      await mark('changed');
      await api.done(await api.post(`/v1/devices/phone/snapshots/${id}/restore`));
      expect(await marker(phoneId)).to.equal(`saved ${afterMs}`);
      expect(await readdir(shared(phoneId))).to.have.length.greaterThan(300);
    }
  });

  it('restores all of it', async () => {
    await mark('old');
    const id = await saved();
    for (const afterMs of KILLS_MS) {
      await mark('changed');
      await killedThenDone(await api.post(`/v1/devices/phone/snapshots/${id}/restore`), afterMs);
      expect(await marker(phoneId)).to.equal('old');
      await isUsable('phone');
    }
  });

  it('makes one clone, whole', async () => {
    await mark('for clones');
    const id = await saved();
    const known = new Set(await readdir(join(directory, 'simulator/phones')));
    for (const afterMs of KILLS_MS) {
      const name = `clone-${afterMs}`;
      await killedThenDone(await api.post(`/v1/devices/phone/snapshots/${id}/clone`, { name }), afterMs);
      await isUsable(name);
      const added = (await readdir(join(directory, 'simulator/phones'))).filter((one) => !known.has(one));
      expect(added).to.have.length(1);
      expect(await marker(added[0]!)).to.equal('for clones');
      expect(await readdir(shared(added[0]!))).to.have.length.greaterThan(300);
      await api.done(await api.delete(`/v1/devices/${name}`));
    }
    await isUsable('phone');
    // Nothing wrote to the snapshot's files.
    await api.done(await api.post(`/v1/devices/phone/snapshots/${id}/restore`));
  });
});
