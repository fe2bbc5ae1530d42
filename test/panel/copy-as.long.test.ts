import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { until } from '../../testing/until.js';
import { checkPage } from './check-page.js';
import { describeInBrowser, type PanelPage, type PanelWorld, startPanel } from './panel-world.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

describeInBrowser('what the panel does, copied as code', function () {
  let panel: PanelWorld;
  let opened: PanelPage;
  let page: Page;
  let folder: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'cloudphone-copied-'));
    panel = await startPanel();
    await panel.world.api.createPhone({ name: 'bench' });
    opened = await panel.open();
    ({ page } = opened);
  });
  after(async () => {
    await panel.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Chooses an action and a language in the open dialog, and returns the code. */
  async function codeOf(language: string, action?: string): Promise<string> {
    const dialog = page.getByRole('dialog', { name: 'Copy as code' });
    if (action !== undefined) {
      await dialog.getByRole('combobox', { name: 'Action' }).click();
      await page.getByRole('option', { name: action }).click();
    }
    await dialog.getByText(language, { exact: true }).click();
    const code = dialog.getByLabel(new RegExp(`${action ?? ''} as ${language}$`));
    await code.waitFor();
    const text = (await code.textContent()) ?? '';
    expect(text).to.contain('CLOUDPHONE_KEY').and.not.to.contain(panel.world.key).and.not.to.contain('cp_');
    return text;
  }

  /** Runs a program as people do after the first lines of the guide. */
  async function run(program: string, ...options: string[]): Promise<string> {
    const env = { ...process.env, CLOUDPHONE_URL: `${panel.world.mesh.url}/v1`, CLOUDPHONE_KEY: panel.world.key };
    return (await promisify(execFile)(program, options, { env, cwd: ROOT })).stdout;
  }

  it('runs as curl, with the state of the form that is filled in', async () => {
    await page.goto('/phones/new');
    await page.getByLabel('Name').fill("it's-not");
    await page.getByRole('button', { name: 'Copy as code' }).click();
    const refused = await run('sh', '-c', `${await codeOf('curl')} || true`);
    // The quote in the name is a part of the name, and ends no text of the shell.
    expect(JSON.parse(refused).message).to.contain(`name: "it's-not"`);
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByLabel('Name').fill('copied');
    await page.getByRole('button', { name: 'Copy as code' }).click();
    const made = JSON.parse(await run('sh', '-c', await codeOf('curl')));
    expect(made.device).to.include({ name: 'copied', model: 'phone-720p' });
    await checkPage(page, 'copy-as');
    expect(opened.complaints).to.deep.equal([]);
  });

  it('runs as curl and TypeScript from the page of a phone', async () => {
    await page.goto('/phones/bench');
    await page.getByRole('button', { name: 'Stop bench' }).waitFor();
    await page.getByRole('button', { name: 'Copy as code' }).click();
    const picture = join(folder, 'bench.png');
    const curl = await codeOf('curl', 'Take a picture');
    await run('sh', '-c', curl.replace('--output bench.png', `--output '${picture}'`));
    expect(readFileSync(picture).subarray(1, 4).toString()).to.equal('PNG');
    // The program is beside the packages of the workspace, one of which is the client.
    const program = join(ROOT, 'dist', `copied-${process.pid}.mjs`);
    try {
      writeFileSync(program, await codeOf('TypeScript', 'Read the screen'));
      expect(await run(process.execPath, program)).to.contain('elements');
      writeFileSync(program, await codeOf('TypeScript', 'Stop'));
      expect(await run(process.execPath, program)).to.contain("kind: 'stop'");
    } finally {
      rmSync(program, { force: true });
    }
    await until(async () => (await panel.world.api.get('/v1/devices/bench')).body.device.state === 'stopped');
  });

  it('is Python of the product’s package', async () => {
    await page.goto('/phones/new');
    await page.getByLabel('Name').fill('snake');
    await page.getByRole('button', { name: 'Copy as code' }).click();
    const program = join(folder, 'copied.py');
    writeFileSync(program, await codeOf('Python'));
    // The package is installed in its own test; here its one class notes the call.
    writeFileSync(
      join(folder, 'cloudphone.py'),
      [
        'import json',
        'class CloudPhone:',
        '    def __init__(self, url, key): assert url and key',
        '    def __enter__(self): return self',
        '    def __exit__(self, *_): pass',
        '    def request(self, method, path, *, body=None, headers=None):',
        '        print(json.dumps([method, path, body, sorted(headers)]))',
        '        return type("Response", (), {"json": lambda self: None})()',
      ].join('\n'),
    );
    const [noted = ''] = (await run('python3', program)).split('\n');
    const [method, path, body, headers] = JSON.parse(noted);
    expect([method, path, headers]).to.deep.equal(['POST', '/v1/devices', ['Idempotency-Key']]);
    expect(body).to.include({ name: 'snake', plan: 'minute' });
  });
});
