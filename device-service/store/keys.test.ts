import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { SecretBox } from '../../kit/text/secret-box.js';
import { openTemporaryDatabase, type TemporaryDatabase } from '../../test/temporary-database.js';
import { KeyStore, type NewKey } from './keys.js';

const key = (id: string): NewKey => ({
  _id: id,
  accountId: 'acc_1',
  name: 'ci',
  scope: 'read',
  devices: ['*'],
  digest: `${id}-`.padEnd(64, 'd'),
  prefix: 'cp_abcde',
  webhookUrl: 'https://hooks.example/',
  createdAt: new Date(0),
});

describe('stored keys', () => {
  let opened: TemporaryDatabase;
  const box = new SecretBox(randomBytes(32));

  beforeEach(async () => {
    opened = await openTemporaryDatabase();
  });
  afterEach(() => opened.close());

  const everything = async (): Promise<string> =>
    JSON.stringify(await opened.database.collection('keys').find({}).toArray());
  const good = async (keys: KeyStore, { _id, digest }: NewKey): Promise<void> => {
    expect(await keys.findByDigest(digest)).to.include({ _id });
    const withWebhook = await keys.findWithWebhook('acc_1');
    expect(withWebhook.find((one) => one._id === _id)).to.include({ digest });
  };

  it('are found and sign without their digest in the database', async () => {
    const keys = new KeyStore(opened.database, box);
    await keys.createIndexes();
    await keys.insert(key('key_1'));
    await good(keys, key('key_1'));
    expect(await everything()).not.to.contain(key('key_1').digest);
    expect(await keys.findByDigest(key('key_2').digest)).to.equal(null);
  });

  it('are sealed when a box comes later, also after a seal that was cut short', async () => {
    const plain = new KeyStore(opened.database);
    await plain.insert(key('key_1'));
    await plain.insert(key('key_2'));
    const boxed = new KeyStore(opened.database, box);
    await good(boxed, key('key_1'));
    await boxed.insert(key('key_3'));
    await boxed.seal();
    await boxed.seal();
    for (const id of ['key_1', 'key_2', 'key_3']) {
      await good(boxed, key(id));
      expect(await everything()).not.to.contain(key(id).digest);
    }
  });

  it('that were sealed with another box stop the start, with words for the operator', async () => {
    await new KeyStore(opened.database, box).insert(key('key_1'));
    for (const other of [undefined, new SecretBox(randomBytes(32))]) {
      const refusal = await new KeyStore(opened.database, other).seal().catch((error: unknown) => error);
      expect(refusal).to.be.instanceOf(Error).with.property('message').that.contains('SECRETS_KEY');
    }
    await new KeyStore(opened.database, box).seal();
  });

  it('are found and sealed again while the key of the box is replaced', async () => {
    const [former, next] = [randomBytes(32), randomBytes(32)];
    await new KeyStore(opened.database, new SecretBox(former)).insert(key('key_1'));
    const prepared = new KeyStore(opened.database, new SecretBox(former, next));
    const replacing = new KeyStore(opened.database, new SecretBox(next, former));
    await replacing.insert(key('key_2'));
    for (const keys of [prepared, replacing]) for (const id of ['key_1', 'key_2']) await good(keys, key(id));
    expect(await replacing.seal()).to.deep.equal({ sealed: 2, again: 1, unreadable: 0 });
    for (const id of ['key_1', 'key_2']) await good(prepared, key(id));
    expect(await replacing.seal()).to.deep.equal({ sealed: 2, again: 0, unreadable: 0 });
    const alone = new KeyStore(opened.database, new SecretBox(next));
    await alone.seal();
    for (const id of ['key_1', 'key_2']) await good(alone, key(id));
  });

  it('do not open in the place of another key', async () => {
    const keys = new KeyStore(opened.database, box);
    await keys.insert(key('key_1'));
    await keys.insert(key('key_2'));
    const stored = await opened.database.collection<{ _id: string; sealed: string }>('keys').findOne({ _id: 'key_1' });
    await opened.database
      .collection<{ _id: string }>('keys')
      .updateOne({ _id: 'key_2' }, { $set: { sealed: stored?.sealed } });
    const refusal = await keys.findWithWebhook('acc_1').catch((error: unknown) => error);
    expect(refusal).to.be.instanceOf(Error);
  });
});
