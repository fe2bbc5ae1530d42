import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../../testing/until.js';
import { cookieOf } from '../access/people.js';
import { EventReader } from '../events/event-reader.js';
import type { Answer, RestClient } from '../rest-client.js';
import type { ReleasedService } from './installation-of.js';

/** How long after the stop of the old release the schedule is due, minutes. */
const SCHEDULE_MINUTES = 10;

/** A customer of a release, with something of everything that lasts. */
export interface Customer {
  cookie: string;
  /** The text of a key with a webhook, for all devices. */
  hookKey: string;
  /** The text of a read-only key for one device. */
  readKey: string;
  shareToken: string;
  relay: { host: string; port: number; code: string };
  snapshotId: string;
  scheduleId: string;
  /** The response to the request with the Idempotency-Key `once`. */
  created: Answer;
  /** After which no event was read. */
  lastEventId: string;
  /** Bodies of GET requests, by path, as they were last. */
  seen: Map<string, unknown>;
}

/** The request that is sent again after the upgrade, with the same Idempotency-Key. */
export const ONCE = {
  body: {
    name: 'monthly',
    model: 'phone-720p',
    network: { type: 'direct', country: 'us' },
    plan: 'month',
    start: false,
  },
  options: { headers: { 'idempotency-key': 'once' } },
};

export const NOTE = '/v1/devices/runs/files/content?path=/sdcard/Download/note.txt';

/** Uses a release as a customer does: phones that run, are stopped and failed, and all that belongs to them. */
export async function useRelease(old: ReleasedService, directory: string, hookUrl: string): Promise<Customer> {
  const { api, email, password } = old;
  await old.admin('account', 'credit', '--email', email, '--amount', '50');
  const signedIn = await api.as(undefined).post('/v1/session', { email, password });
  const panel = old.panel(cookieOf(signedIn));
  const hook = { name: 'hook', scope: 'control', devices: ['*'], webhook_url: hookUrl };
  const hookKey = (await panel.ask('POST', '/v1/keys', hook)).body.key.key as string;

  await api.createPhone({ name: 'runs' });
  const readKey = await panel.createKey({ name: 'reader', scope: 'read', devices: ['runs'] });
  const created = await api.post('/v1/devices', ONCE.body, ONCE.options);
  await api.done(created);
  await api.createPhone({ name: 'works' });
  await failStart(api, directory);

  const events = await EventReader.open(old.service.baseUrl.replace(/\/v1$/, ''), {
    authorization: `Bearer ${hookKey}`,
  });
  const lastEventId = events.lastId;
  events.close();

  const phone = '/v1/devices/runs';
  await good(api.ask('PATCH', phone, { labels: { team: 'qa' }, timeline: true }));
  await good(api.ask('PATCH', `${phone}/conditions`, { battery: { level: 15, charging: false } }));
  await good(api.ask('PUT', NOTE, Buffer.from('written before the upgrade')));
  await api.done(await api.post(`${phone}/apps`, { app: 'trails' }));
  await good(api.post(`${phone}/act`, { open_app: { app: 'Notes' } }));
  const saved = await api.post(`${phone}/snapshots`, { label: 'before' });
  await api.done(saved);
  await good(api.delete(NOTE));
  const relay = await good(api.post(`${phone}/adb`, { allow: ['127.0.0.1'] }));
  const share = await good(api.post(`${phone}/shares`, { access: 'read', lifetime_s: 86_400 }));
  const steps = [{ open_app: { app: 'Settings' } }];
  await api.done(await api.post('/v1/groups', { name: 'all', devices: ['runs'], steps, on_error: 'stop' }));
  const schedule = await good(api.post('/v1/schedules', inMinutes(SCHEDULE_MINUTES)));

  const customer = {
    ...{ cookie: panel.cookie, hookKey, readKey, created, lastEventId },
    shareToken: (share.body.share.url as string).split('#')[1] ?? '',
    relay: relay.body.adb,
    snapshotId: saved.body.snapshot.id as string,
    scheduleId: schedule.body.schedule.id as string,
    seen: new Map<string, unknown>(),
  };
  await until(async () => (await deliveries(api)).every(({ attempts }) => attempts.length > 0));
  for (const path of LASTING) customer.seen.set(path, (await good(panel.ask('GET', path))).body);
  return customer;
}

/** What must be there after an upgrade. */
const LASTING = [
  ...['/v1/account', '/v1/account/ledger?limit=200', '/v1/keys', '/v1/sessions', '/v1/usage', '/v1/health'],
  ...['/v1/devices', '/v1/jobs?limit=200', '/v1/groups', '/v1/schedules', '/v1/webhooks/deliveries?limit=200'],
  ...['snapshots', 'shares', 'adb', 'apps', 'timeline', 'files?path=/sdcard'].map((part) => `/v1/devices/runs/${part}`),
];

export async function deliveries(api: RestClient): Promise<{ id: string; state: string; attempts: unknown[] }[]> {
  const { body } = await api.get('/v1/webhooks/deliveries?limit=200');
  return body.deliveries as { id: string; state: string; attempts: unknown[] }[];
}

/** A device whose files were lost on the disk, and whose start failed for that. */
async function failStart(api: RestClient, directory: string): Promise<void> {
  const phones = join(directory, 'simulator', 'phones');
  const before = new Set(readdirSync(phones));
  await api.createPhone({ name: 'fails', start: false });
  const [phoneId = ''] = readdirSync(phones).filter((name) => !before.has(name));
  rmSync(join(phones, phoneId, 'state'), { recursive: true });
  const started = await api.post('/v1/devices/fails/start');
  await until(async () => (await api.get(`/v1/jobs/${started.body.job.id as string}`)).body.job.state === 'failed');
}

/** A schedule of every day that is due in so many minutes. */
function inMinutes(minutes: number): object {
  const time = new Date(Date.now() + minutes * 60_000).toISOString().slice(11, 16);
  const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
  return { devices: ['monthly'], days, time, timezone: 'UTC', steps: [{ start: {} }] };
}

async function good(asked: Promise<Answer>): Promise<Answer> {
  const response = await asked;
  if (response.status >= 300) throw new Error(`${response.status} ${response.bytes.toString()}`);
  return response;
}
