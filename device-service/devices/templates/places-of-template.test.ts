import { expect } from 'chai';
import { openTemporaryDatabase, type TemporaryDatabase } from '../../../test/temporary-database.js';
import { FakeClock } from '../../../testing/fake-clock.js';
import { refusalOf } from '../../../testing/refusal.js';
import { type HostDriver, HostStore } from '../../store/hosts.js';
import type { TemplateDocument } from '../../store/templates.js';
import type { PlacesContext } from '../hosts/place-phone.js';
import { placesOfTemplate } from './places-of-template.js';

const GIB_MB = 1_024;

describe('the places for a phone of a template', () => {
  let opened: TemporaryDatabase;
  let context: PlacesContext;
  const clock = new FakeClock();

  beforeEach(async () => {
    opened = await openTemporaryDatabase();
    context = { hosts: new HostStore(opened.database), hostId: 'host-here', clock };
  });
  afterEach(() => opened.close());

  async function host(id: string, more: Partial<HostDriver> = {}, android: readonly string[] = ['14']): Promise<void> {
    const screen = { width: 720, height: 1280, density: 320 };
    const model = { model: 'phone-720p', name: 'Phone', android, screen, memoryMb: 1, phoneMemoryMb: 1 };
    const driver: HostDriver = {
      ...{ kind: 'simulated', freeMemoryMb: 50_000, freeDiskMb: 50_000, create: true, exit: true, models: [model] },
      ...{ moves: true, templates: true, ...more },
    };
    const seenAt = new Date(clock.now());
    const lease = { epoch: 1, leaseUntil: new Date(clock.now() + 60_000), seenAt };
    await context.hosts.insert({ _id: `host-${id}`, folderId: id, ...lease, drivers: [driver] });
  }
  const template = (...hosts: string[]): TemplateDocument => ({
    ...{ _id: 'tpl_1', accountId: 'acc_1', name: 'golden', snapshotId: 'snap_1', phoneId: 'ph_1', jobId: 'job_1' },
    ...{ driver: 'simulated', model: 'phone-720p', android: '14', state: 'ready', sizeBytes: 1 },
    archive: { sizeBytes: 10 * 2 ** 30, checksum: 'sum' },
    hosts: hosts.map((id) => ({ hostId: `host-${id}` })),
    createdAt: new Date(0),
  });
  const placesOf = async (of: TemplateDocument): Promise<string[]> =>
    (await placesOfTemplate(context, of)).map(({ hostId }) => hostId);

  it('are hosts that have its files first, then those that can get them and have room for them', async () => {
    await host('here');
    await host('small', { freeDiskMb: 10 * GIB_MB });
    await host('fixed', { moves: undefined as never });
    await host('large', { freeMemoryMb: 60_000 });
    await host('has', { freeMemoryMb: 2_000, freeDiskMb: 2_000 });
    expect(await placesOf(template('has'))).to.deep.equal(['host-has', 'host-here', 'host-large']);
    // Volumes of a cluster are for the hosts that see them.
    const ofVolumes = template('fixed');
    delete ofVolumes.archive;
    expect(await placesOf(ofVolumes)).to.deep.equal(['host-fixed']);
  });

  it('are no hosts of a release without templates, and none whose model is of another kind or version', async () => {
    for (const [id, more, android, reason] of [
      ['old', { templates: undefined as never }, ['14'], 'no host makes "phone-720p" as that kind now'],
      ['kind', { kind: 'container' }, ['14'], 'of the kind "simulated"'],
      ['version', {}, ['15'], 'Android 14'],
    ] as const) {
      await opened.database.collection('hosts').deleteMany({});
      await host(id, more, android);
      const refused = await refusalOf(placesOfTemplate(context, template(id)));
      expect(refused).to.include({ kind: 'bad_request' });
      expect(refused.message).to.contain('"golden"').and.to.contain(reason);
    }
    await opened.database.collection('hosts').deleteMany({});
    expect((await refusalOf(placesOfTemplate(context, template('gone')))).message).to.contain('any more');
  });

  it('are none, with the time to try again, where hosts that have it have no room and others no disk', async () => {
    await host('here', { freeDiskMb: 10 * GIB_MB });
    await host('has', { freeMemoryMb: 0 });
    const refused = await refusalOf(placesOfTemplate(context, template('has')));
    expect(refused).to.include({ kind: 'unavailable', retryAfterS: 60 });
    expect(refused.message).to.contain('"golden"');
  });
});
