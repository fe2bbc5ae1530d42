import { createHash } from 'node:crypto';
import { HANDSHAKE, type Answer, type RestClient } from '../rest-client.js';

/**
 * The calls of a customer's day, each of which must succeed. Throws for the first one that does not. `name`: of a phone that is made
 * and deleted for them.
 */
export async function makeTypicalCalls(api: RestClient, name: string): Promise<void> {
  const phone = `/v1/devices/${name}`;
  await expectStatus(200, api.get('/v1/models'));
  await api.createPhone({ name });
  await expectStatus(200, api.ask('PATCH', phone, { labels: { team: 'qa' }, timeline: true }));
  await expectStatus(200, api.get('/v1/devices?state=running'));
  const picture = await expectStatus(200, api.get(`${phone}/screenshot?format=jpeg`));
  if (picture.bytes[0] !== 0xff) throw new Error('the screenshot is no JPEG');
  await expectStatus(200, api.get(`${phone}/observe?screenshot=none&elements=compact`));
  await expectStatus(200, api.post(`${phone}/act`, { open_app: { app: 'Settings' } }));
  await expectStatus(200, api.post(`${phone}/input`, { events: [{ key: { name: 'home' } }] }));
  await expectStatus(200, api.get(`${phone}/logs?lines=5`));
  await expectStatus(101, api.get(`${phone}/live`, { headers: HANDSHAKE }));
  const text = createHash('sha256').update(name).digest();
  const file = `${phone}/files/content?path=/sdcard/${name}.bin`;
  await expectStatus(200, api.ask('PUT', file, text));
  if (!(await expectStatus(200, api.get(file))).bytes.equals(text)) throw new Error('the file differs');
  await api.done(await api.post(`${phone}/apps`, { app: 'trails' }));
  await expectStatus(200, api.get(`${phone}/apps`));
  await expectStatus(200, api.get(`${phone}/timeline`));
  const saved = await api.post(`${phone}/snapshots`, { label: 'a' });
  await api.done(saved);
  await api.done(await api.post(`${phone}/snapshots/${saved.body.snapshot.id as string}/restore`));
  await expectStatus(200, api.post(`${phone}/adb`, { allow: ['127.0.0.1'] }));
  await expectStatus(200, api.get(`${phone}/adb`));
  await expectStatus(200, api.delete(`${phone}/adb`));
  await expectStatus(201, api.post(`${phone}/shares`, { access: 'read', lifetime_s: 600 }));
  await api.done(await api.post('/v1/groups', { devices: [name], steps: [{ restart: {} }], on_error: 'stop' }));
  const days = { devices: [name], days: ['mon'], time: '03:00', timezone: 'UTC', steps: [{ start: {} }] };
  const { schedule } = (await expectStatus(201, api.post('/v1/schedules', days))).body;
  await expectStatus(204, api.delete(`/v1/schedules/${schedule.id as string}`));
  await expectStatus(200, api.get('/v1/events', { headers: { accept: 'text/event-stream' } }));
  for (const path of ['health', 'usage', 'account', 'account/ledger', 'jobs', 'webhooks/deliveries', 'network/options'])
    await expectStatus(200, api.get(`/v1/${path}`));
  await api.done(await api.delete(phone));
}

async function expectStatus(status: number, asked: Promise<Answer>): Promise<Answer> {
  const response = await asked;
  if (response.status !== status)
    throw new Error(`${response.status} in place of ${status}: ${response.bytes.toString()}`);
  return response;
}
