import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { demand } from '../demand.js';
import type { Row } from '../row.js';
import { MAIN } from './life.js';

const MIB = 1024 * 1024;
const TRANSFER_MS = 600_000;

export const logs: Row = {
  name: 'logs',
  run: async (phones) => {
    const phone = phones.get(MAIN);
    const tag = `check-${randomBytes(4).toString('hex')}`;
    await phone.shell(`log -t ${tag} hello`);
    const response = await phones.api.request('GET', `/v1/devices/${phone.name}/logs?tag=${tag}`);
    demand(response.status === 200, `GET …/logs is ${response.status}`);
    const reader = (response.body as ReadableStream<Uint8Array> | null)?.getReader();
    let text = '';
    const limit = AbortSignal.timeout(30_000);
    while (!text.includes('hello') && !limit.aborted) {
      const read = await Promise.race([reader?.read(), new Promise<undefined>((resolve) => limit.addEventListener('abort', () => resolve(undefined)))]); // prettier-ignore
      if (read?.value === undefined) break;
      text += Buffer.from(read.value).toString('utf8');
    }
    await reader?.cancel();
    demand(text.includes('hello'), 'a line that was written on the phone does not come');
    return '';
  },
};

/** A small app, signed, without code. */
const APK = fileURLToPath(new URL('../../../phone/apk/fixtures/fixture-v2.apk', import.meta.url));

export const installs: Row = {
  name: 'install an APK, list and remove it',
  run: async (phones) => {
    const phone = phones.get(MAIN);
    const name = await phone.install(await readFile(APK));
    demand(
      (await phone.apps()).some((app) => app.package === name),
      `${name} is not listed`,
    );
    const removed = await phones.api.request('DELETE', `/v1/devices/${phone.name}/apps/${name}`);
    demand(removed.ok, `removing ${name} is ${removed.status}`);
    const { job } = (await removed.json()) as { job: { id: string } };
    await phones.api.waitForJob(job);
    demand(!(await phone.apps()).some((app) => app.package === name), `${name} is still listed`);
    return name;
  },
};

export const relays: Row = {
  name: 'adb: login, shell, push and pull',
  run: async (phones) => {
    const phone = phones.get(MAIN);
    const { fileMib } = phones.options;
    const folder = await mkdtemp(join(tmpdir(), 'check-phones-'));
    try {
      const [sent, received] = [join(folder, 'sent'), join(folder, 'received')];
      await writeRandom(sent, fileMib);
      const serial = await phone.adbLogin();
      const echoed = await phone.adb(serial, ['shell', 'echo out; echo err >&2; exit 7']);
      demand(
        echoed.stdout.trim() === 'out' && echoed.status === 7,
        `a command ended with ${echoed.status}: ${echoed.stdout}`,
      );
      const beganMs = performance.now();
      const pushed = await phone.adb(serial, ['push', sent, '/data/local/tmp/check'], TRANSFER_MS);
      demand(pushed.status === 0, `push: ${pushed.stdout}${pushed.stderr}`);
      const pushedMs = performance.now();
      const pulled = await phone.adb(serial, ['pull', '/data/local/tmp/check', received], TRANSFER_MS);
      demand(pulled.status === 0, `pull: ${pulled.stdout}${pulled.stderr}`);
      const endedMs = performance.now();
      await phone.adb(serial, ['shell', 'rm', '/data/local/tmp/check']);
      demand((await digestOf(sent)) === (await digestOf(received)), 'the file came back changed');
      const rate = (ms: number): string => `${((fileMib * 1_000) / ms).toFixed(1)} MiB/s`;
      return `push ${rate(pushedMs - beganMs)}, pull ${rate(endedMs - pushedMs)}`;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};

async function writeRandom(file: string, mib: number): Promise<void> {
  const handle = await open(file, 'w');
  try {
    for (let at = 0; at < mib; at++) await handle.write(randomBytes(MIB));
  } finally {
    await handle.close();
  }
}

async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
