import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { installPacked, succeed } from '../testing/packed-package.js';

/** The driver comes from this repository; everything else is the package and its dependencies. */
const PROGRAM = `
import { FolderInUseError, startEmbeddedMongo } from '@cloudphone/embedded-mongo';
import { pino } from 'pino';
import { MongoClient } from '${pathToFileURL(createRequire(import.meta.url).resolve('mongodb')).href}';

const start = () => startEmbeddedMongo({ directory: 'data', log: pino({ level: 'silent' }) });
const server = await start();
const client = await MongoClient.connect(server.url);
const notes = client.db('notes').collection('notes');
await notes.insertOne({ _id: 'a', text: 'first' });
const refused = await start().catch((error) => error instanceof FolderInUseError);
await client.close();
await server.close();
const again = await start();
const second = await MongoClient.connect(again.url);
const found = await second.db('notes').collection('notes').findOne({ _id: 'a' });
await second.close();
await again.close();
console.log(JSON.stringify({ refused, found }));
`;

describe('the embedded database, packed and installed in a program', function () {
  // A compiler and a package manager run, on machines that do other things too.
  this.timeout(300_000);
  let folder: string;
  before(() => (folder = mkdtempSync(join(tmpdir(), 'embedded-mongo-'))));
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('serves the official driver, keeps the data, and refuses a second process', async () => {
    const { program } = await installPacked('embedded-mongo', folder, { built: false });
    writeFileSync(join(program, 'program.js'), PROGRAM);
    const printed = await succeed(process.execPath, ['program.js'], program);
    expect(JSON.parse(printed)).to.deep.equal({ refused: true, found: { _id: 'a', text: 'first' } });
  });
});
