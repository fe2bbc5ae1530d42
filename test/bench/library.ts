import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { largeApk } from '../../testing/phone/large-apk.js';
import { removeData, startInstallation } from '../installation.js';
import { RestClient, type Answer } from '../rest-client.js';
import { undoLater } from './interrupt.js';
import { inTurn, type Report } from './report.js';

const APP_MIB = 286;
const APK = 'application/vnd.android.package-archive';

/** P39: an install of a 300 MB app from the library, the second time, against its upload for the same simulated phone. */
export async function benchLibrary(report: Report): Promise<void> {
  const start = fileURLToPath(new URL('../../start.js', import.meta.url));
  const directory = mkdtempSync(join(tmpdir(), 'cloudphone-bench-library-'));
  undoLater(() => removeData(directory));
  const installation = await startInstallation({ directory, start, environment: { SIMULATED_PROCESSES: '1' } });
  undoLater(async () => {
    await installation.stop();
  });
  const { baseUrl, key } = installation;
  const api = new RestClient(baseUrl.replace(/\/v1$/, ''), key);
  await api.createPhone({ name: 'phone' });
  const apk = new Uint8Array(await largeApk(APP_MIB));
  const send = (method: 'PUT' | 'POST', path: string): Promise<Response> =>
    fetch(`${baseUrl}${path}`, {
      ...{ method, headers: { authorization: `Bearer ${key}`, 'content-type': APK } },
      body: apk,
    });
  const ended = async (jobId: string): Promise<void> => {
    const job = (await api.get(`/v1/jobs/${jobId}?wait_s=60`)).body.job as { state: string };
    if (job.state !== 'done') throw new Error(`the install did not end well: ${JSON.stringify(job)}`);
  };
  const timed = async (begin: () => Promise<Answer['body']>): Promise<number> => {
    const beganMs = performance.now();
    const body = (await begin()) as { job?: { id: string } };
    if (body.job === undefined) throw new Error(`not accepted: ${JSON.stringify(body)}`);
    await ended(body.job.id);
    return performance.now() - beganMs;
  };
  const stored = await send('PUT', '/library/apps/large');
  if (stored.status !== 200) throw new Error(`not stored: ${await stored.text()}`);
  const fromLibrary = (): Promise<number> =>
    timed(async () => (await api.post('/v1/devices/phone/apps', { app: 'my/large' })).body);
  const byUpload = (): Promise<number> =>
    timed(async () => (await (await send('POST', '/devices/phone/apk')).json()) as Answer['body']);
  await fromLibrary();
  const { ours, theirs, ratio } = await inTurn(fromLibrary, byUpload);
  report({
    what: `P39 install of an app of ${(apk.length / 1e6).toFixed(0)} MB from the library, the second time`,
    ours: `${ours.toFixed(0)} ms`,
    theirs: `${theirs.toFixed(0)} ms, POST …/apk`,
    ratio,
    goal: 'ratio <= 0.5',
    holds: ratio.median <= 0.5,
  });
}
