import { create } from '@bufbuild/protobuf';
import { expect } from 'chai';
import { PublishResponseSchema } from '../../../proto/gen/cloudphone/webhook/v1/event_service_pb.js';
import { silentLog } from '../../../kit/log/log.js';
import { ApiError } from '../../../kit/errors/api-error.js';
import { openTemporaryDatabase, type TemporaryDatabase } from '../../../test/temporary-database.js';
import { systemClock } from '../../../kit/async/clock.js';
import { KeyStore } from '../../store/keys.js';
import { publishExpiringKeys } from './expiring-keys.js';

const DAY_MS = 86_400_000;

describe('keys that stop working soon', () => {
  let opened: TemporaryDatabase;
  let keys: KeyStore;
  let published: string[];
  let isAway: boolean;

  beforeEach(async () => {
    opened = await openTemporaryDatabase();
    keys = new KeyStore(opened.database);
    await keys.createIndexes();
    published = [];
    isAway = false;
  });
  afterEach(() => opened.close());

  const insert = (id: string, inDays: number) =>
    keys.insert({
      ...{ _id: id, accountId: 'acc_1', name: 'ci', scope: 'read', devices: ['*'], digest: id, prefix: 'cp_abcde' },
      ...{ createdAt: new Date(0), expiresAt: new Date(systemClock.now() + inDays * DAY_MS) },
    });
  const run = () => {
    const publish = ({ event }: { event?: { deviceCreatedBy?: string } | undefined }) => {
      if (isAway) return Promise.reject(new ApiError('unavailable', 'away'));
      published.push(event?.deviceCreatedBy ?? '');
      return Promise.resolve(create(PublishResponseSchema));
    };
    const context = { keys, events: { publish }, clock: systemClock, log: silentLog };
    return publishExpiringKeys(context, new AbortController().signal);
  };

  it('have one event each, and none before their last week or after their end', async () => {
    await insert('key_soon', 6);
    await insert('key_later', 8);
    await insert('key_over', -1);
    await Promise.all([run(), run()]);
    await run();
    expect(new Set(published)).to.deep.equal(new Set(['key_soon']));
    published = [];
    await run();
    expect(published).to.deep.equal([]);
  });

  it('have their event after the process ended between the claim and the publishing', async () => {
    await insert('key_soon', 6);
    isAway = true;
    await run().catch((error: unknown) => expect(error).to.be.instanceOf(ApiError));
    isAway = false;
    await run();
    expect(published).to.deep.equal(['key_soon']);
  });

  it('have another event when they get another end', async () => {
    await insert('key_soon', 6);
    await run();
    await keys.change('acc_1', 'key_soon', { expiresAt: new Date(systemClock.now() + 2 * DAY_MS) });
    await run();
    expect(published).to.deep.equal(['key_soon', 'key_soon']);
  });
});
