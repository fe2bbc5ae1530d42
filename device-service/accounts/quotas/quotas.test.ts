import { expect } from 'chai';
import { ApiError } from '../../../kit/errors/api-error.js';
import { openTemporaryDatabase, type TemporaryDatabase } from '../../../test/temporary-database.js';
import { deviceDocument } from '../../../testing/device-document.js';
import { FakeClock } from '../../../testing/fake-clock.js';
import { AccountStore } from '../../store/accounts.js';
import { DeviceStore } from '../../store/devices.js';
import { LibraryStore } from '../../store/library.js';
import { RecordingStore } from '../../store/recordings.js';
import { SnapshotStore } from '../../store/snapshots.js';
import { TemplateStore } from '../../store/templates.js';
import { CLAIM_MS, Quotas, type QuotaSettings } from './quotas.js';

const GB = 1e9;

describe('the quotas of an account', () => {
  let opened: TemporaryDatabase;
  let clock: FakeClock;
  let stores: {
    accounts: AccountStore;
    devices: DeviceStore;
    library: LibraryStore;
    recordings: RecordingStore;
    snapshots: SnapshotStore;
    templates: TemplateStore;
  };
  beforeEach(async () => {
    opened = await openTemporaryDatabase();
    clock = new FakeClock();
    const { database } = opened;
    stores = {
      accounts: new AccountStore(database),
      devices: new DeviceStore(database),
      library: new LibraryStore(database),
      recordings: new RecordingStore(database),
      snapshots: new SnapshotStore(database),
      templates: new TemplateStore(database),
    };
    await Promise.all(Object.values(stores).map((store) => store.createIndexes()));
    await stores.accounts.insert({
      _id: 'acc_1',
      email: 'a@b.example',
      passwordHash: '',
      createdAt: new Date(0),
      trial: { state: 'unused' },
    });
  });
  afterEach(() => opened.close());

  const quotas = (most: Partial<QuotaSettings>): Quotas =>
    new Quotas(stores, clock, { devices: 0, storageBytes: 0, ...most });
  const create = (host: Quotas, id: string, bytes = 0): Promise<unknown> =>
    host.within('acc_1', { id, devices: 1, bytes }, () =>
      stores.devices.insert(deviceDocument({ _id: id, name: id, nameKey: `acc_1/${id}`, storageBytes: bytes })),
    );
  const outcome = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'made',
      (error: unknown) => (error instanceof ApiError ? `${error.kind}: ${error.message}` : String(error)),
    );

  it('are not exceeded by fifty creations at the same time on three hosts', async () => {
    const hosts = [1, 2, 3].map(() => quotas({ devices: 7 }));
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, at) => outcome(create(hosts[at % 3] ?? quotas({}), `ph_${at}`))),
    );
    expect(outcomes.filter((one) => one === 'made')).to.have.length(7);
    const refused = outcomes.filter((one) => one !== 'made');
    expect(refused).to.have.length(43);
    for (const one of refused) expect(one).to.match(/^forbidden: The account has 7 of the 7 devices .*quota "devices"/);
    expect((await stores.devices.findStorage('acc_1')).length).to.equal(7);
    expect((await stores.accounts.find('acc_1'))?.claims).to.deep.equal({});
  });

  it('count bytes that creations at the same time need', async () => {
    const hosts = [1, 2].map(() => quotas({ storageBytes: 10 * GB }));
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, at) => outcome(create(hosts[at % 2] ?? quotas({}), `ph_${at}`, 3 * GB))),
    );
    expect(outcomes.filter((one) => one === 'made')).to.have.length(3);
    expect(outcomes.find((one) => one !== 'made'))
      .to.contain('9.00 of the 10.00 GB')
      .and.contain('this needs 3.00 GB');
  });

  it('keep the place of a creation whose process ended in the middle for some minutes, and no longer', async () => {
    const crashed = quotas({ devices: 2 });
    // The end of the crashed creation never comes: neither a document nor the end of the claim.
    void crashed.within('acc_1', { id: 'ph_lost', devices: 1, bytes: 0 }, () => new Promise(() => undefined));
    const host = quotas({ devices: 2 });
    while (Object.keys((await stores.accounts.find('acc_1'))?.claims ?? {}).length === 0) clock.turn(0);
    expect(await outcome(create(host, 'ph_1'))).to.equal('made');
    expect(await outcome(create(host, 'ph_2'))).to.contain('forbidden');
    clock.turn(CLAIM_MS);
    expect(await outcome(create(host, 'ph_2'))).to.equal('made');
    expect(await outcome(create(host, 'ph_3'))).to.contain('forbidden');
  });

  it('count a device once whose process ended after it was made, and do it again as the same', async () => {
    const host = quotas({ devices: 2 });
    await stores.accounts.setClaims('acc_1', 0, { ph_1: { devices: 1, bytes: 0, at: new Date(clock.now()) } });
    await stores.devices.insert(deviceDocument({ _id: 'ph_1' }));
    expect(await outcome(create(host, 'ph_2'))).to.equal('made');
    const again = quotas({ devices: 3 });
    await stores.accounts.setClaims('acc_1', 3, { ph_3: { devices: 1, bytes: 0, at: new Date(clock.now()) } });
    expect(await outcome(create(again, 'ph_3'))).to.equal('made');
    expect(await outcome(create(again, 'ph_4'))).to.contain('forbidden');
  });

  it('give the place of a failed creation back', async () => {
    const host = quotas({ devices: 1 });
    const failed = host.within('acc_1', { id: 'ph_1', devices: 1, bytes: 0 }, () => Promise.reject(new Error('no')));
    expect(await outcome(failed)).to.equal('Error: no');
    expect(await outcome(create(host, 'ph_2'))).to.equal('made');
  });

  it('sum up phones as measured, and snapshots with the expected size until they are saved', async () => {
    const host = quotas({ storageBytes: 10 * GB });
    await create(host, 'ph_1');
    await stores.devices.noteStorage(deviceDocument({ _id: 'ph_1' }), 4 * GB);
    const snapshot = {
      _id: 'snap_1', accountId: 'acc_1', phoneId: 'ph_1', jobId: 'job_1', hostId: 'host-1', driver: 'simulated', label: '',
      state: 'saving' as const, expectedBytes: 4 * GB, model: 'm', android: '14', createdAt: new Date(0),
    }; // prettier-ignore
    await stores.snapshots.begin(snapshot);
    expect(await host.use('acc_1')).to.deep.equal({
      devices: 1,
      phoneBytes: 4 * GB,
      snapshotBytes: 4 * GB,
      templateBytes: 0,
      recordingBytes: 0,
      libraryBytes: 0,
    });
    expect(await outcome(create(host, 'ph_2', 4 * GB))).to.contain('8.00 of the 10.00 GB').and.contain('4.00 GB by snapshots'); // prettier-ignore
    await stores.snapshots.saved('snap_1', { sizeBytes: GB, checksum: '' });
    expect(await outcome(create(host, 'ph_2', 4 * GB))).to.equal('made');
    await stores.devices.noteStorage(deviceDocument({ _id: 'ph_2' }), 6 * GB);
    expect(await outcome(create(host, 'ph_3'))).to.contain('11.00 of the 10.00 GB');
  });
});
