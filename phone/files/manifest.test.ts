import { mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { describeTree, TooManyFiles } from './manifest.js';

describe('the manifest of a tree', () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'manifest-'))));
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('includes files whose names are not UTF-8, and have line breaks', async () => {
    await mkdir(Buffer.concat([Buffer.from(`${folder}/a`), Buffer.of(0xff)]));
    await writeFile(Buffer.concat([Buffer.from(`${folder}/a`), Buffer.of(0xff), Buffer.from('/line\nbreak')]), 'x');
    const { entries } = await describeTree(folder);
    expect(entries.map((entry) => entry.split('\0')[0])).to.deep.equal(['a\ufffd', 'a\ufffd/line\nbreak']);
  });

  it('ends with its signal, also in a file that has no end', async () => {
    await writeFile(join(folder, 'sparse'), '');
    await truncate(join(folder, 'sparse'), 2 ** 43);
    const reason = new Error('too late');
    const controller = new AbortController();
    const described = describeTree(folder, { signal: controller.signal }).catch((error: unknown) => error);
    setImmediate(() => controller.abort(reason));
    expect(await described).to.satisfy((error: Error) => error === reason || error.cause === reason);
  });

  it('is bounded', async () => {
    for (let at = 0; at < 10; at++) await writeFile(join(folder, `file-${at}`), '');
    const described = describeTree(folder, { maxTextChars: 500 }).catch((error: unknown) => error);
    expect(await described).to.be.instanceOf(TooManyFiles);
  });
});
