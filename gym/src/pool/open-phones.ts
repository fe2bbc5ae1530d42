import { platformWait } from '../../../client/src/platform.js';
import { prepareBase } from '../base/prepare-base.js';
import type { Service } from '../service.js';
import { GymPhone } from '../phone/gym-phone.js';
import { ensureTemplate } from './ensure-template.js';
import { GymPhones } from './gym-phones.js';

/** The apps that the tasks need beside those of each phone. */
export const GYM_APPS = ['contacts', 'files', 'shop', 'forms', 'mail', 'account', 'calendar', 'travel'].map(
  (name) => `com.cloudphone.gym.${name}`,
);

/** Changes with the content of the template, so that an older template is not used. */
const TEMPLATE = 'cloudphone-gym-1';

const NETWORK = { type: 'direct', country: 'us' } as const;
const MODEL = 'phone-720p';

/** The package of the UiAutomator2 server, and how often and at which distance it is looked for. */
const HELPER = 'io.appium.uiautomator2.server';
const MAX_LOOKS = 20;
const LOOK_MS = 500;

/** How often, and at which distance, a pool is looked at until its first phones are ready. */
const MAX_READY_LOOKS = 60;
const READY_LOOK_MS = 1_000;

/** Most phones of a gym, which is the most of a pool. */
const MAX_PHONES = 200;

/**
 * Makes the phones of a gym: the template, unless the account has it, and a pool. The pool has two phones for each episode at a time, and one
 * more. Phones that are not used go back to the template, or wait.
 */
export async function openPhones(
  service: Service,
  { parallel, name, note }: { parallel: number; name: string; note: (text: string) => void },
): Promise<GymPhones> {
  await ensureTemplate(service.phone, TEMPLATE, { make: () => makeTemplate(service, `${name}-base`), note });
  const count = Math.min(MAX_PHONES, 2 * parallel + 1);
  await service.phone.put('/v1/pools/{name}', {
    params: { path: { name } },
    body: { template: TEMPLATE, ready: Math.min(count, 50), most: count, labels: { 'cloudphone-gym': name } },
  });
  const phones = new GymPhones(service, name);
  try {
    await waitUntilReady(service, name, Math.min(parallel + 1, 50));
  } catch (error) {
    await phones.close();
    throw error;
  }
  return phones;
}

/** Waits until the first phones are ready, so that no reset waits for a phone that is being made. A pool that stays short is used as it is. */
async function waitUntilReady({ phone }: Service, name: string, wanted: number): Promise<void> {
  for (let looks = 0; looks < MAX_READY_LOOKS; looks++) {
    const { pool } = await phone.get('/v1/pools/{name}', { params: { path: { name } } });
    if (pool.phones.ready >= wanted || pool.problem !== undefined) return;
    await platformWait(READY_LOOK_MS);
  }
}

/** Makes the template from a phone of its own, which is deleted at the end. A run that is killed leaves that phone behind. */
async function makeTemplate(service: Service, device: string): Promise<void> {
  const { phone } = service;
  const path = { name: device };
  const made = await phone.post('/v1/devices', {
    body: { name: device, model: MODEL, network: NETWORK, plan: 'minute' },
  });
  try {
    await phone.waitForJob(made.job);
    const base = new GymPhone(device, service);
    try {
      await assertApps(base);
      await prepareBase(base);
    } finally {
      await base.release();
    }
    await waitForHelper(base);
    await phone.waitForJob((await phone.post('/v1/devices/{name}/snapshots', { params: { path }, body: {} })).job);
    const [snapshot] = (await phone.get('/v1/devices/{name}/snapshots', { params: { path } })).snapshots;
    const body = { snapshot: snapshot?.id ?? '', name: TEMPLATE };
    await phone.waitForJob((await phone.post('/v1/templates', { body })).job);
  } finally {
    await phone.waitForJob((await phone.delete('/v1/devices/{name}', { params: { path } })).job);
  }
}

/**
 * Waits until the service has installed what reads screens fast, so that the template has it. Without it all works, and each step takes a
 * second longer.
 */
async function waitForHelper(phone: GymPhone): Promise<void> {
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
    await phone.service.agent(phone.device).observe();
    await platformWait(LOOK_MS);
    const { apps } = await phone.service.get('/v1/devices/{name}/apps', { params: { path: { name: phone.device } } });
    if (apps.some((app) => app.package === HELPER)) return;
  }
}

async function assertApps(phone: GymPhone): Promise<void> {
  const installed = new Set(await phone.installedPackages());
  const missing = GYM_APPS.filter((name) => !installed.has(name));
  if (missing.length === 0) return;
  throw new Error(
    `The phones lack apps of the gym: ${missing.join(', ')}. Start the service with SIMULATED_APPS_DIR set to the gym's folder of apps (docs/gym.md).`,
  );
}
