import { execFile } from 'node:child_process';
import { accessSync, constants, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { RowResult } from '../../check-phones/row.js';
import { findPhoneProcesses } from '../../phone/emulator/phone-processes.js';
import { needsNamespaces } from '../../phone/emulator/testing/emulator-world.js';
import { AndroidHome } from '../../testing/emulator/android-home.js';
import { NEEDS_ADB, skip } from '../../testing/skip.js';
import { type Installation, removeData, startInstallation } from '../installation.js';
import { AdbClient } from '../relay/adb-client.js';

const compiled = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** The emulator of a phone; the brackets keep the shell that runs this from finding itself. */
const EMULATOR = `pgrep -f -- '-[a]ndroid-serialno {serial}'`;

describe('npm run check-phones for phones in the emulator', function () {
  let directory: string;
  let running: Installation | undefined;

  before(async function () {
    if (!AdbClient.isThere()) skip(this, NEEDS_ADB);
    await needsNamespaces(this);
    try {
      accessSync('/dev/kvm', constants.R_OK | constants.W_OK);
    } catch {
      skip(this, 'needs /dev/kvm: without it the driver offers no model, although the stand-in would run');
    }
  });
  beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'cloudphone-check-'))));
  afterEach(async () => {
    await running?.stop();
    running = undefined;
    // Ends the processes that a failed check left.
    for (const [folder, pids] of findPhoneProcesses())
      if (folder.startsWith(directory)) for (const pid of pids) process.kill(pid, 'SIGKILL');
    await removeData(join(directory, 'data'));
    rmSync(directory, { recursive: true, force: true });
  });

  it('passes with the stand-in in each row', async () => {
    const sdk = new AndroidHome(join(directory, 'sdk'));
    const [models, data] = [join(directory, 'models.json'), join(directory, 'data')];
    const model = {
      ...{ model: 'emulator-14', driver: 'emulator', android: '14', system_image: AndroidHome.image },
      screen: { width: 720, height: 1280, density: 320 },
    };
    writeFileSync(models, JSON.stringify({ models: [model] }));
    running = await startInstallation({
      directory: data,
      start: compiled('start.js'),
      environment: {
        ...{ PHONE_DRIVER: 'emulator', MODELS_FILE: models, ANDROID_HOME: sdk.path },
        ...{ BOOTS_AT_ONCE: '2', ALLOW_PRIVATE_TARGETS: 'on' },
      },
    });
    const words = [
      ...['--base-url', running.baseUrl, '--key', running.key, '--model', 'emulator-14', '--rounds', '5', '--json'],
      ...['--kill-command', `kill -9 $(${EMULATOR})`],
      ...[
        '--usage-command',
        `ps -o rss= -p $(${EMULATOR}) | awk '{ print $1 / 1024 }'; du -sm ${data}/emulator | cut -f1`,
      ],
      ...['--leftovers-command', `find ${data} -name 'ph_*'; ${EMULATOR} || true`],
    ];
    const stdout = await new Promise<string>((resolve, reject) => {
      const all = [compiled('check-phones/main.js'), ...words];
      execFile(process.execPath, all, { maxBuffer: 16 * 1024 * 1024 }, (error, printed, complaints) => {
        if (printed.startsWith('{')) resolve(printed);
        else reject(new Error(complaints, { cause: error }));
      });
    });
    const { rows, passed } = JSON.parse(stdout) as { rows: RowResult[]; passed: boolean };
    const outcomes = (wanted: RowResult['outcome']): string[] =>
      rows.flatMap(({ row, outcome, detail }) => (outcome === wanted ? [`${row}: ${detail}`] : []));
    expect(outcomes('fail')).to.deep.equal([]);
    expect(outcomes('not offered')).to.deep.equal([]);
    expect(passed).to.equal(true);
  });
});
