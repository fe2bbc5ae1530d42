import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { readScrcpyFile } from './scrcpy-file.js';

describe("the file of scrcpy's server", () => {
  const directory = mkdtempSync(join(tmpdir(), 'scrcpy-file-'));
  after(() => rmSync(directory, { recursive: true, force: true }));

  it('is not needed, and is refused with its checksum when it is another', () => {
    const path = join(directory, 'server');
    expect(readScrcpyFile(undefined, path)).to.equal(undefined);
    expect(() => readScrcpyFile(path)).to.throw(`SCRCPY_SERVER="${path}" cannot be read`);
    writeFileSync(path, 'another file');
    for (const read of [() => readScrcpyFile(path), () => readScrcpyFile(undefined, path)]) {
      expect(read).to.throw('is not the server of scrcpy 3.3.3: its SHA-256 is ');
    }
  });
});
