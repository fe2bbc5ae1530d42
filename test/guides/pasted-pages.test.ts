import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { freePort } from '../../testing/free-port.js';
import { skip } from '../../testing/skip.js';
import { until } from '../../testing/until.js';
import { type Installation, removeData, startInstallation } from '../installation.js';
import { Receiver } from '../webhooks/receiver.js';
import { type Checkout, makeCheckout } from './checkout.js';
import { allPages, blocksOf } from './pages.js';
import { PastedShell } from './pasted-shell.js';

const START = fileURLToPath(new URL('../../start.js', import.meta.url));
const NEEDED = ['bash', 'curl', 'jq', 'openssl', 'adb'];

/** What the blocks of a page print, in this order. */
const PRINTS: Readonly<Record<string, readonly RegExp[]>> = {
  'README.md': [/^done$/m, /^e\d+ text "\d\d:\d\d, /m, /^e\d+ textfield "Title" /m],
  'docs/first-phone.md': [/create: done/, /^e\d+ \w+ /m, /in front: com\.cloudphone\.notes/, /delete: done/],
  'docs/apps.md': [
    /^trails$/m,
    /^install: done$/m,
    /^org\.cloudphone\.demo\.trails$/m,
    /^uninstall: done$/m,
    /^install: done$/m,
    /^install: done$/m,
    /"name": "shop"/,
    /^install: done$/m,
    /^shop \d/m,
    /^create: done$/m,
  ],
  'docs/files.md': [/"name":"readme\.md"/],
  'docs/snapshots.md': [/snapshot: done/, /restore: done/, /clone: done/],
  'docs/groups.md': [
    /create: done/,
    /create: done/,
    /group: done/,
    /"state": "done"/,
    /"state": "done"/,
    /"next_run_at"/,
  ],
  // The proxy does not respond: the way to one that does is the test of the network.
  'docs/network.md': [/"type":"mobile"/, /network: done/, /rotate: done/, /"ok":false/, /network: failed/],
  'docs/conditions.md': [/"level":15/, /"kbps":400/, /"device"/],
  'docs/shares.md': [/^http:\/\/\S+\/share#sh_\w{43}$/m, /"access":"read"/],
  'docs/timeline.md': [/"timeline":true/],
  'docs/events.md': [/^retry: 3000$/m, /^id: \d{12}$/m],
  'docs/logs.md': [/^\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} /m, /^event: log$/m],
  'docs/mcp.md': [/"type":"text","text":"\{\\"devices\\":/],
  'docs/billing.md': [/owner@localhost/, /REST API/],
  'docs/cli.md': [
    /^state +running$/m,
    /^com\.cloudphone\.notes/m,
    /^terminal-phone: delete done$/m,
    /^Nothing is left over/m,
  ],
  'docs/adb.md': [/login ok/, /^14$/m, /relay on: false/],
};

describe('every page, pasted in order into one shell', function () {
  this.timeout(300_000);
  let temporary = '';
  const receiver = new Receiver();
  let checkout: Checkout | undefined;
  let installation: Installation | undefined;
  let shell: PastedShell | undefined;

  before(async function () {
    const missing = NEEDED.filter((program) => spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0);
    if (missing.length > 0) skip(this, `needs ${missing.join(' and ')}`);
    checkout = makeCheckout();
    temporary = mkdtempSync(join(tmpdir(), 'cloudphone-pasted-'));
    await receiver.listen();
    mkdirSync(join(checkout.path, 'data'));
    installation = await startInstallation({
      directory: join(checkout.path, 'data'),
      start: START,
      environment: { ALLOW_PRIVATE_TARGETS: 'on' },
    });
    shell = new PastedShell(checkout.path, {
      ...{ PATH: process.env['PATH'] ?? '', HOME: temporary, TMPDIR: temporary },
      ...{ HOOK: receiver.url('/hook'), PROXY: `http://127.0.0.1:${await freePort()}` },
      ANDROID_ADB_SERVER_PORT: String(await freePort()),
    });
  });
  after(async () => {
    await shell?.paste('adb kill-server');
    shell?.close();
    if (installation !== undefined && checkout !== undefined) {
      await installation.stop();
      await removeData(join(checkout.path, 'data'));
      await receiver.close();
    }
    checkout?.remove();
    if (temporary !== '') rmSync(temporary, { recursive: true, force: true });
  });

  for (const page of allPages()) {
    const commands = blocksOf(page).filter(({ language }) => language === 'sh');
    const pasted = commands.filter(({ reason }) => reason === undefined);
    if (pasted.length > 0) {
      it(`runs ${page}, blocks: ${pasted.length}`, async () => {
        let printed = '';
        for (const { text } of pasted) {
          const block = await shell!.paste(text);
          expect(block.failed, `${text}\nprinted\n${block.printed}`).to.deep.equal([]);
          expect(block.printed, text).not.to.match(/"error": ?"|command not found|^null$|null: null/m);
          printed += block.printed;
        }
        let rest = printed;
        for (const expected of PRINTS[page] ?? []) {
          const found = expected.exec(rest);
          expect(found, `${page} does not print ${expected}, after what was found before, in\n${printed}`).not.to.equal(
            null,
          );
          rest = rest.slice(found!.index + found![0].length);
        }
      });
    }
    for (const { reason, text } of commands) {
      if (reason === undefined) continue;
      it(`${page}: ${text.split('\n')[0]}`, function () {
        skip(this, reason);
      });
    }
  }

  it('runs the program of the TypeScript client', async () => {
    const [program] = blocksOf('client/README.md').filter(({ language }) => language === 'ts');
    writeFileSync(join(checkout!.path, 'dist', 'client-readme.mjs'), program!.text);
    const { printed, failed } = await shell!.paste('node dist/client-readme.mjs');
    expect(failed, printed).to.deep.equal([]);
    expect(printed).to.match(/^e\d+ button "New note"/m);
  });

  it('notified the receiver, and left no session among the temporary files', async () => {
    await until(() => receiver.received.some(({ path }) => path === '/hook'));
    expect(readdirSync(temporary).filter((name) => name.startsWith('tmp.'))).to.deep.equal([]);
  });

  it('leaves no file that git would add', () => {
    expect(checkout!.leftFiles()).to.deep.equal([]);
  });
});
