import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { until } from '../../testing/until.js';
import { startWorld, type World } from '../world.js';
import { callCli } from './call.js';

const MINUTE_MS = 60_000;
const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];

describe('a replay in a schedule', () => {
  let world: World;
  let home: string;
  before(async () => {
    world = await startWorld();
    home = mkdtempSync(join(tmpdir(), 'cloudphone-replay-'));
    await world.api.createPhone({ name: 'demo' });
  });
  after(async () => {
    await world.close();
    rmSync(home, { recursive: true, force: true });
  });

  it('runs at its time with its texts, and its secret is shown to nobody', async () => {
    const environment = { HOME: home, CLOUDPHONE_URL: world.mesh.url, CLOUDPHONE_KEY: world.key };
    const [file, replay, values] = ['body.json', 'note.yaml', 'values.yaml'].map((name) => join(home, name)) as [
      string,
      string,
      string,
    ];
    // The minute after the next one: this one may end while the schedule is made.
    const at = new Date(Date.now() + 2 * MINUTE_MS).toISOString().slice(11, 16);
    writeFileSync(file, JSON.stringify({ devices: ['demo'], days: DAYS, time: at, timezone: 'UTC' }));
    writeFileSync(values, 'pin: hunter2-secret\n');
    writeFileSync(
      replay,
      [
        'version: 1',
        'variables: {title: {default: Rent}, pin: {secret: true}}',
        'steps:',
        '  - open_app: {app: Notes}',
        '  - tap: {text: New note}',
        '  - type: {text: "${pin}", target: {text: Note}}',
        '  - type: {text: "${title}", target: {text: Title}}',
        '    expect: {text: "${title}"}',
      ].join('\n'),
    );
    const words = ['schedules', '--create', file, '--replay', replay, '--var-file', values, '--json'];
    const made = await callCli(words, environment);
    expect(made.status, made.stderr).to.equal(0);
    const { id, steps } = JSON.parse(made.stdout).schedule;
    expect(steps).to.have.length(4);
    expect(made.stdout).not.to.include('hunter2');
    await until(
      async () => (await world.api.get(`/v1/schedules/${id as string}`)).body.schedule.last_run?.state === 'done',
      4 * MINUTE_MS,
    );
    const { body } = await world.api.get('/v1/devices/demo/observe?screenshot=none&elements=compact');
    expect(body.observation.elements_text).to.include('="Rent"').and.not.include('hunter2');
  });
});
