import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { assertCopied, factsOf } from '../../admin/backup/tree-facts.js';
import { verifyBackup } from '../../admin/backup/verify-backup.js';
import { BackupWorld, rejection } from './backup-world.js';

describe('a backup that is damaged, or would be', () => {
  let world: BackupWorld;

  beforeEach(async () => {
    world = await BackupWorld.open();
  });
  afterEach(() => world.close());

  it('is refused where a file, a list or a folder is not as it was, or a path leads elsewhere', async () => {
    await world.phone('off', 'stopped');
    const check = async (break_: () => void, text: string): Promise<void> => {
      rmSync(join(world.directory, 'one'), { recursive: true, force: true });
      await world.made('one');
      break_();
      expect(await rejection(verifyBackup(join(world.directory, 'one'), () => undefined))).to.contain(text);
      expect(await rejection(world.restored('one', 'new'))).to.contain(text);
      expect(existsSync(join(world.directory, 'new', 'database'))).to.equal(false);
    };
    const tree = 'container/phones/off';
    await check(() => writeFileSync(world.inBackup('one', `${tree}/data/a/file`), 'OF off'), `${tree}/data/a/file`);
    await check(() => writeFileSync(world.inBackup('one', `${tree}/data/more`), ''), `${tree}/data/more`);
    await check(() => rmSync(world.inBackup('one', tree), { recursive: true }), `${tree} is missing`);
    await check(
      () => writeFileSync(join(world.directory, 'one', 'lists', `${tree}.json`), '{}'),
      `the list of ${tree}`,
    );
    await check(() => rmSync(world.inBackup('one', 'steps-key')), 'steps-key');
    interface EditedFile {
      files: Record<string, string>;
      trees: Record<string, object>;
    }
    const edit = (change: (file: EditedFile) => void): void => {
      const path = join(world.directory, 'one', 'backup.json');
      const file = JSON.parse(readFileSync(path, 'utf8')) as EditedFile;
      change(file);
      writeFileSync(path, JSON.stringify(file));
    };
    await check(() => edit(({ files }) => (files['../../evil'] = 'x')), '../../evil');
    await check(() => edit(({ trees }) => (trees['container/phones/../../x'] = {})), 'container/phones/../../x');
  });

  it('is refused before anything is copied where its folder is a file or a link', async () => {
    writeFileSync(join(world.directory, 'file'), '');
    mkdirSync(join(world.directory, 'folder'));
    symlinkSync(join(world.directory, 'folder'), join(world.directory, 'link'));
    for (const name of ['file', 'link']) expect(await rejection(world.made(name))).to.contain('is a file or a link');
    expect(readdirSync(world.directory).filter((name) => name.includes('.partial-'))).to.deep.equal([]);
  });

  it('is made beside a backup whose description is not one, and such a one is refused by one line', async () => {
    mkdirSync(join(world.directory, 'odd/data'), { recursive: true });
    writeFileSync(join(world.directory, 'odd/data/folder-id'), readFileSync(join(world.data, 'folder-id')));
    const texts = [
      ...['null', '[]', '{"format":2,"files":null}', '{"format":2,"files":{"data.mdb":"x"},"trees":null}'],
      ...['{"format":2,"files":{"data.mdb":"x"},"trees":{"a/phones/b":null}}'],
      ...['{"format":2,"files":{"data.mdb":"x"},"left_out":3}'],
    ];
    for (const [at, text] of texts.entries()) {
      writeFileSync(join(world.directory, 'odd/backup.json'), text);
      expect(await rejection(verifyBackup(join(world.directory, 'odd'), () => undefined)), text).to.match(
        /^UnreadableBackup/,
      );
      await world.made(`beside-${at}`);
    }
  });

  it('does not share a file that was changed in the earlier backup', async () => {
    await world.phone('off', 'stopped');
    await world.made('one');
    writeFileSync(world.inBackup('one', 'container/phones/off/data/a/file'), 'torn');
    await world.made('two');
    await verifyBackup(join(world.directory, 'two'), () => undefined);
  });

  it('notices a copy that lost an owner, permissions or content', async () => {
    const [from, to] = [join(world.directory, 'from'), join(world.directory, 'to')];
    for (const folder of [from, to]) {
      mkdirSync(folder);
      writeFileSync(join(folder, 'file'), 'content', { mode: 0o640 });
    }
    const facts = await factsOf(from, 0);
    await assertCopied(facts, to);
    const breaks = [
      () => chmodSync(join(to, 'file'), 0o600),
      () => writeFileSync(join(to, 'file'), 'cont'),
      () => rmSync(join(to, 'file')),
    ];
    for (const break_ of breaks) {
      break_();
      expect(await rejection(assertCopied(facts, to))).to.contain('the copy of "file" has another owner');
    }
  });
});
