import { existsSync } from 'node:fs';
import type { Invocation } from '../command/command.js';
import { print } from '../command/print.js';
import { openService, type Service } from '../service/connection.js';
import { devicePath } from '../service/list-items.js';
import { uploadFile } from '../service/transfer.js';
import type { Job } from '../service/types.js';
import { waitForJob } from '../service/wait-for-job.js';

export const install = {
  run: async (invocation: Invocation): Promise<void> => {
    const [name = '', ...apps] = invocation.words;
    const service = openService(invocation);
    const jobs: Job[] = [];
    // One after the other: a phone does one job at a time.
    for (const app of apps) jobs.push(await installApp(invocation, service, name, app));
    const [job] = jobs;
    const text = jobs.map(({ device, state }, at) => `${device}: install ${apps[at] ?? ''} ${state}`).join('\n');
    print(invocation, jobs.length === 1 ? { job } : { jobs }, text);
  },
};

export const uninstall = {
  run: async (invocation: Invocation): Promise<void> => {
    const { words, signal } = invocation;
    const [name = '', id = ''] = words;
    const { phone } = openService(invocation);
    const params = { path: { name, package: id } };
    const begun = await phone.delete('/v1/devices/{name}/apps/{package}', { params, signal });
    const job = await waitForJob(invocation, phone, begun.job);
    print(invocation, { job }, `${name}: uninstall ${id} ${job.state}`);
  },
};

/** Installs a file of this machine, or an app of the catalogue or the library, and waits for the job. */
export async function installApp(invocation: Invocation, service: Service, name: string, app: string): Promise<Job> {
  const { signal } = invocation;
  const { job } = isFile(app)
    ? await uploadFile<{ job: Job }>(invocation, service, {
        method: 'POST',
        path: devicePath(name, '/apk'),
        file: app,
        label: `upload ${app}`,
      })
    : await service.phone.post('/v1/devices/{name}/apps', { params: { path: { name } }, body: { app }, signal });
  return waitForJob(invocation, service.phone, job);
}

/** Matches apps of the account's library. */
const OF_LIBRARY = /^my\/[a-z0-9][a-z0-9._-]*$/;

/**
 * Whether a word names a file. One that looks like a file does so even where it does not exist, so that the error is about the file.
 * `my/shop` is an app of the library, also where there is such a file: the same command must mean the same in every folder.
 */
export function isFile(app: string): boolean {
  if (OF_LIBRARY.test(app) && !/\.(apk|apks|xapk|apkm|aab)$/.test(app)) return false;
  return /[/\\]|\.(apk|apks|xapk|apkm|aab)$/i.test(app) || existsSync(app);
}
