import { expect } from 'chai';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { skip } from '../../../testing/skip.js';
import { startRelaySide, whyNotLinked } from './linked-networks.js';
import type { BlackHoleResult } from './relay-side.js';

/* The clock and the counts of bytes are the system's here; ../vanished-peers.test.ts has the rules, with other ones. */

describe('customers behind a cable that is cut while they read the log', () => {
  let directory: string | undefined;
  let relaySide: ChildProcess | undefined;

  after(() => {
    relaySide?.kill('SIGKILL');
    if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
  });

  it('lose their connections, and their places are free', async function () {
    const missing = whyNotLinked();
    if (missing !== undefined) skip(this, missing);
    directory = mkdtempSync(join(tmpdir(), 'cloudphone-black-hole-'));
    relaySide = startRelaySide(fileURLToPath(new URL('./relay-side.js', import.meta.url)), directory);
    const gone = once(relaySide, 'exit').then(() => Promise.reject(new Error("the relay's process ended")));
    const [result] = (await Promise.race([once(relaySide, 'message'), gone])) as [BlackHoleResult];
    expect(result).to.deep.equal({
      beforeCut: [true, true, true, false],
      sessionsBeforeCut: 3,
      sessionsAfterCut: 0,
      reasons: ['stalled', 'stalled', 'stalled'],
      afterCut: true,
    });
  });
});
