import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const start = fileURLToPath(new URL('../../start.js', import.meta.url));

describe('a start that fails', function () {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'cloudphone-failed-start-'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  async function run(environment: Record<string, string>): Promise<{ status: number | null; complaints: string }> {
    const child = spawn(process.execPath, [start], {
      env: { ...process.env, PORT: '0', LOG_LEVEL: 'warn', DATA_DIR: directory, ...environment },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let complaints = '';
    child.stderr.on('data', (chunk: Buffer) => (complaints += chunk.toString()));
    const [status] = (await once(child, 'close')) as [number | null];
    return { status, complaints };
  }

  const DOCTOR = 'To check this machine: npm run --silent admin -- doctor\n';
  const NO_DATABASE = 'mongodb://127.0.0.1:1/';
  const noDatabase = 'MongoDB does not respond at mongodb://127.0.0.1:1/. Check MONGODB_URL.\n' + DOCTOR;

  it('because the database is away prints one line, closes all opened parts, and ends with status 1', async () => {
    expect(await run({ MONGODB_URL: NO_DATABASE })).to.deep.equal({ status: 1, complaints: noDatabase });
  });

  it('because neither phones nor database can be opened prints one line and ends with status 1', async () => {
    const phonesFile = join(directory, 'no-such-file.json');
    const environment = { PHONE_DRIVER: 'attached', PHONES_FILE: phonesFile, MONGODB_URL: NO_DATABASE };
    expect(await run(environment)).to.deep.equal({ status: 1, complaints: noDatabase });
    expect(existsSync(phonesFile)).to.equal(false);
  });
});
