import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { QUOTA_DISK_KINDS, QuotaDisk } from '../../testing/quota-disk.js';
import { skip } from '../../testing/skip.js';
import { fill, makePhone, MAX_MIB, openFolders } from './testing/change-phones.js';

const SCRIPT = fileURLToPath(new URL('testing/change-phones.js', import.meta.url));
/** Before which step of a round the process is killed. The program of the step before is at any of its lines then. */
const KILLED_AT = [1, 2, 3, 4, 7, 10];

for (const kind of QUOTA_DISK_KINDS) {
  describe(`kill -9 of a service with project quotas on ${kind}`, function () {
    this.timeout(600_000);
    let folder: string;
    let disk: QuotaDisk;
    let phones: string;

    before(async function () {
      folder = await mkdtemp(join(tmpdir(), 'quota-kill-'));
      const mounted = await QuotaDisk.mount(kind, join(folder, 'disk'));
      if (typeof mounted === 'string') skip(this, mounted);
      disk = mounted;
      phones = join(disk.place, 'phones');
    });
    after(async () => {
      if ((disk as QuotaDisk | undefined) !== undefined) await promisify(execFile)('umount', [disk.place]);
      await rm(folder, { recursive: true, force: true });
    });

    it('leaves each phone with a project of its own that is bounded at its next start, and no project of any other', async () => {
      for (const [round, steps] of KILLED_AT.entries()) {
        const child = spawn(process.execPath, [SCRIPT, phones, String(round)], {
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        const ended = once(child, 'exit');
        let left = steps;
        createInterface(child.stdout).on('line', () => --left === 0 && child.kill('SIGKILL'));
        expect((await ended)[1]).to.equal('SIGKILL');
      }
      const { folders, way } = await openFolders(phones);
      expect(way).to.equal(`project quota (${kind})`);
      const ids = await folders.list();
      expect(ids).not.to.deep.equal([]);
      for (const phoneId of ids) {
        const phone = await folders.read(phoneId);
        if (phone === undefined) throw new Error(`the phone ${phoneId} is not there`);
        await folders.bound(phone);
        const { blocks, bsize } = await statfs(phone.data);
        expect(blocks * bsize).to.equal(MAX_MIB * 1024 ** 2);
      }
      const { used, limited } = await disk.projects();
      expect(used).to.have.length(ids.length);
      expect(limited).to.include.members(used);

      for (const phoneId of ids) await folders.delete(phoneId);
      expect((await disk.projects()).used).to.deep.equal([]);
      // A limit that is left bounds nothing: a phone with its id is filled, and has a limit of its own.
      const next = await makePhone(folders, 'ph_next');
      await folders.replaceData(next.phoneId, fill);
      await folders.bound(next);
      const again = await disk.projects();
      expect(again.used).to.have.length(1);
      expect(again.limited).to.include.members(again.used);
    });
  });
}
