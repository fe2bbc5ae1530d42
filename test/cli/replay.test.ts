import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { SaxesParser } from 'saxes';
import sharp from 'sharp';
import { readReplay } from '../../replay/format/read-replay.js';
import type { ReplayStep } from '../../replay/format/replay.js';
import { until } from '../../testing/until.js';
import { LiveClient } from '../live/live-client.js';
import { shellOf } from '../network/phone-shell.js';
import { startWorld, type World } from '../world.js';
import { callCli } from './call.js';
import { type Called, type Calling, startCli } from './program.js';

describe('replays of the command line', function () {
  let world: World;
  let home: string;
  let environment: Record<string, string>;
  const opened: LiveClient[] = [];
  const calls: Calling[] = [];
  before(async () => {
    world = await startWorld();
    home = mkdtempSync(join(tmpdir(), 'cloudphone-replay-'));
    environment = { HOME: home, CLOUDPHONE_URL: world.mesh.url, CLOUDPHONE_KEY: world.key };
    await world.api.createPhone({ name: 'demo' });
  });
  after(async () => {
    for (const viewer of opened) viewer.close();
    for (const { child } of calls) child.kill('SIGKILL');
    await world.close();
    rmSync(home, { recursive: true, force: true });
  });

  const path = (name: string): string => join(home, name);
  const cli = (...words: string[]): Promise<Called> => callCli(words, environment);
  const act = async (...steps: ReplayStep[]): Promise<void> => {
    const { body } = await world.api.post('/v1/devices/demo/act', { steps });
    expect(body.failed, JSON.stringify(body.failed)).to.equal(undefined);
  };
  const entries = async (): Promise<Record<string, unknown>[]> =>
    (await world.api.get('/v1/devices/demo/timeline?kind=input')).body.entries;
  const write = (name: string, text: string): string => {
    writeFileSync(path(name), text);
    return path(name);
  };

  /** Leaves the note that is open, without what was typed into it. */
  async function leaveNote(): Promise<void> {
    await act({ open_app: { app: 'Notes' } });
    // The first key may only hide the keyboard.
    await until(async () => {
      const { body } = await world.api.get('/v1/devices/demo/observe?screenshot=none&elements=compact');
      const text = body.observation.elements_text as string;
      if (text.includes('"New note"')) return true;
      await act(text.includes('"Discard"') ? { tap: { text: 'Discard' } } : { key: { name: 'back' } });
      return false;
    });
  }

  /** Does something on the live screen as a person does, and waits until it is in the timeline. */
  async function person(viewer: LiveClient, ...events: object[]): Promise<void> {
    const { length } = await entries();
    viewer.send({ events });
    await until(async () => (await entries()).length > length);
  }
  const tapOf = async (text: string): Promise<object[]> => {
    const { body } = await world.api.get('/v1/devices/demo/observe?screenshot=none');
    const element = body.observation.elements.find((one: Record<string, string>) =>
      [one['text'], one['label']].includes(text),
    );
    const { x, y } = element.center;
    return [{ touch: { phase: 'down', x, y } }, { touch: { phase: 'up', x, y } }];
  };

  it('record what a person does on a live screen, and repeat it', async () => {
    await act({ key: { name: 'home' } });
    const file = path('note.yaml');
    const recording = startCli(['record-steps', 'demo', '-o', file], environment);
    calls.push(recording);
    await until(() => recording.stderr().includes('Ctrl-C ends'));
    const viewer = await LiveClient.open(world.mesh.url, 'demo', { authorization: `Bearer ${world.key}` });
    opened.push(viewer);
    await person(viewer, ...(await tapOf('Notes')));
    await person(viewer, ...(await tapOf('New note')));
    await person(viewer, ...(await tapOf('Title')));
    await person(viewer, ...['Gro', 'ce', 'ries'].map((text) => ({ text: { text } })));
    await person(viewer, ...(await tapOf('Save')));
    recording.child.kill('SIGINT');
    const { status, stdout, stderr } = await recording.ended;
    expect([status, stdout], stderr).to.deep.equal([0, `${file}  5 steps, 5 pictures\n`]);
    expect(stderr).to.include('tap "New note"').and.include('type "Groceries"');
    expect((await world.api.get('/v1/devices/demo')).body.device.timeline).to.equal(false);
    const { replay } = readReplay(readFileSync(file, 'utf8'));
    const bare = replay.steps.map(({ took_ms: tookMs, picture, expect: expected, ...step }) => {
      expect(tookMs).to.be.within(1, 30_000);
      expect(existsSync(path(picture ?? '')), picture).to.equal(true);
      expect(expected).not.to.equal(undefined);
      return step;
    });
    expect(bare).to.deep.equal([
      { tap: { text: 'Notes', role: 'text' } },
      { tap: { text: 'New note', role: 'button' } },
      { tap: { text: 'Title', role: 'textfield' } },
      { type: { text: 'Groceries', target: { text: 'Title', role: 'textfield' } } },
      { tap: { text: 'Save', role: 'button' } },
    ]);
    expect(replay.device).to.deep.equal({ model: 'phone-720p', android: '14', width: 720, height: 1280 });
    await act({ key: { name: 'home' } });
    const again = await startCli(['replay', file, '--device', 'demo'], environment).ended;
    expect([again.status, again.stderr], again.stdout).to.deep.equal([0, '']);
    expect(again.stdout.match(/^ok \d\/5/gm)).to.have.length(5);
  });

  it('record what was done before', async () => {
    const all = (await world.api.get('/v1/devices/demo/timeline?kind=input')).body.entries as { at: string }[];
    const file = path('past.yaml');
    const words = ['record-steps', 'demo', '-o', file];
    const { status, stdout, stderr } = await cli(...words, '--from', all.at(-1)?.at ?? '', '--to', all[0]?.at ?? '');
    expect([status, stdout], stderr).to.deep.equal([0, `${file}  4 steps, 4 pictures\n`]);
    const nothing = await cli(...words, '--from', '2020-01-01T00:00:00Z', '--to', '2020-01-02T00:00:00Z');
    expect([nothing.status, nothing.stderr]).to.deep.equal([
      1,
      'cloudphone: Nothing was done with demo on its screen in this time, so no file was written. ' +
        'Use the screen in the panel meanwhile, or choose another --from.\n',
    ]);
    expect((await cli(...words, '--from', 'yesterday')).stderr).to.include('--from is "yesterday"');
    expect((await cli(...words, '--to', '2020-01-01')).stderr).to.include('--to needs --from');
  });

  it('leave out a password that a person types, and ask for it', async () => {
    const freshForm = (): Promise<unknown> =>
      shellOf(world.database, 'demo', 'am force-stop com.cloudphone.lab; am start -W -n com.cloudphone.lab/.Form');
    await freshForm();
    const file = path('form.yaml');
    const recording = startCli(['record-steps', 'demo', '-o', file, '--json'], environment);
    calls.push(recording);
    await until(() => recording.stderr().includes('Ctrl-C ends'));
    const viewer = await LiveClient.open(world.mesh.url, 'demo', { authorization: `Bearer ${world.key}` });
    opened.push(viewer);
    await person(viewer, ...(await tapOf('Password')));
    await person(viewer, { text: { text: 'hun' } }, { text: { text: 'ter2' } });
    await person(viewer, ...(await tapOf('Name')));
    await person(viewer, { text: { text: 'Ada Lind' } });
    recording.child.kill('SIGINT');
    const { status, stdout, stderr } = await recording.ended;
    expect(status, stderr).to.equal(0);
    expect(JSON.parse(stdout)).to.deep.include({ file, steps: 4, variables: ['password'], left_out: 0 });
    const text = readFileSync(file, 'utf8');
    expect(text + stdout + stderr).not.to.match(/hun|ter2/);
    const { replay } = readReplay(text);
    expect(replay.steps.map(({ tap, type }) => tap ?? type)).to.deep.equal([
      { text: 'Password', role: 'textfield' },
      { text: '${password}', target: { text: 'Password', role: 'textfield' } },
      { text: 'Name', role: 'textfield' },
      { text: 'Ada Lind', target: { text: 'Name', role: 'textfield' } },
    ]);
    await freshForm();
    const values = write('password.json', '{"password": "hunter2"}');
    const again = await cli('replay', file, '--device', 'demo', '--var-file', values);
    expect([again.status, again.stderr], again.stdout).to.deep.equal([0, '']);
    const { body } = await world.api.get('/v1/devices/demo/observe?screenshot=none&elements=compact');
    expect(body.observation.elements_text).to.include('="Ada Lind"').and.not.include('hunter2');
  });

  it('name the step and the difference where the screen differs, with both pictures and a report', async () => {
    const { replay } = readReplay(readFileSync(path('note.yaml'), 'utf8'));
    expect(replay.steps[1]?.['tap']).to.deep.include({ text: 'New note' });
    // The app is in another state: an unfinished note is open.
    await act({ open_app: { app: 'Notes' } }, { tap: { text: 'New note' } }, { key: { name: 'home' } });
    const words = ['--device', 'demo', '--artifacts', path('artifacts'), '--junit', path('junit.xml')];
    const { status, stdout, stderr } = await startCli(['replay', path('note.yaml'), ...words], environment).ended;
    expect(status, stdout).to.equal(1);
    expect(stderr).to.match(/^cloudphone: step \d of 5 differs: tap "\w+/);
    expect(stderr)
      .to.include('nearest on the screen:')
      .and.match(/reason: .+/);
    const saved = readdirSync(path('artifacts')).sort();
    expect(saved).to.have.length(2);
    expect(saved[0]).to.match(/^step-00\d-now\.png$/);
    expect(saved[1]).to.match(/^step-00\d-recorded\.webp$/);
    for (const name of saved) expect((await sharp(path(`artifacts/${name}`)).metadata()).height).to.be.above(100);
    const report = tagsOf(readFileSync(path('junit.xml'), 'utf8'));
    expect(report.find(({ name }) => name === 'testsuite')?.attributes).to.include({
      name: 'demo',
      tests: '5',
      failures: '1',
    });
    expect(report.filter(({ name }) => name === 'testcase')).to.have.length(5);
    expect(report.filter(({ name }) => name === 'failure')).to.have.length(1);
    await leaveNote();
  });

  it('ask for the texts of their variables, and show no secret', async () => {
    const file = write(
      'secret.yaml',
      [
        'version: 1',
        'variables: {title: {default: Milk}, pin: {secret: true}}',
        'steps:',
        '  - open_app: {app: Notes}',
        '  - tap: {text: New note}',
        '  - type: {text: "${title}", target: {text: Title}}',
        '  - type: {text: "${pin}", target: {text: Note}}',
        '    expect: {text: "${title} is not here"}',
        '    took_ms: 10',
      ].join('\n'),
    );
    const missing = await cli('replay', file, '--device', 'demo');
    expect([missing.status, missing.stderr]).to.deep.equal([
      2,
      `cloudphone: ${file} needs a value for pin: --var pin=TEXT, or a --var-file with it.\n`,
    ]);
    const unknown = await cli('replay', file, '--device', 'demo', '--var', 'pim=x');
    expect([unknown.status, unknown.stderr]).to.deep.equal([
      2,
      `cloudphone: ${file} has no variable pim. Its variables: title, pin.\n`,
    ]);
    const values = write('values.yaml', 'pin: hunter2-<secret>\n');
    const words = ['--device', 'demo', '--var-file', values, '--var', 'title=Oat milk'];
    const failed = await cli('replay', file, ...words, '--junit', path('secret.xml'), '--artifacts', path('secret'));
    expect(failed.status, failed.stdout + failed.stderr).to.equal(1);
    expect(failed.stderr, failed.stderr).to.include('step 4 of 4 differs').and.include('Oat milk');
    await leaveNote();
    const json = await cli('replay', file, ...words, '--json');
    const result = JSON.parse(json.stdout);
    expect(result).to.deep.include({ device: 'demo', passed: false });
    expect(result.difference).to.include({ is_difference: true });
    const shown = [
      failed.stdout,
      failed.stderr,
      json.stdout,
      json.stderr,
      readFileSync(path('secret.xml'), 'utf8'),
    ].join();
    expect(shown).not.to.include('hunter2').and.not.include('&lt;secret');
    const tagNames = tagsOf(readFileSync(path('secret.xml'), 'utf8')).map(({ name }) => name);
    expect(tagNames).to.include('failure');
  });

  it('wait for a slow phone', async () => {
    await act({ key: { name: 'home' } });
    const file = write(
      'slow.yaml',
      'version: 1\nsteps:\n  - open_app: {app: Settings}\n    expect: {text: Display}\n    took_ms: 8000\n',
    );
    const { _id: phoneId } = (await world.database.collection<{ _id: string }>('devices').findOne({ name: 'demo' }))!;
    await world.phones.setFaults(phoneId, { captureDelayMs: 500, treeDelayMs: 2_500, sourceDelayMs: 2_500 }, false);
    try {
      const { status, stdout, stderr } = await cli('replay', file, '--device', 'demo');
      expect([status, stderr], stdout).to.deep.equal([0, '']);
    } finally {
      await world.phones.setFaults(phoneId, {}, false);
    }
  });

  it('run on the phones of a group, with their texts', async () => {
    await leaveNote();
    const group = write('group.json', JSON.stringify({ devices: ['demo'], name: 'Notes' }));
    const file = write(
      'group.yaml',
      'version: 1\nvariables: {title: {}}\nsteps:\n  - open_app: {app: Notes}\n  - tap: {text: New note}\n' +
        '  - type: {text: "${title}", target: {text: Title}}\n    expect: {text: "${title}"}\n',
    );
    const words = ['groups', '--create', group, '--replay', file];
    const { status, stdout, stderr } = await cli(...words, '--var', 'title=Oat milk', '--json');
    expect(status, stderr).to.equal(0);
    expect(JSON.parse(stdout).group.devices).to.deep.equal([{ device: 'demo', state: 'done', step: 3 }]);
    const { body } = await world.api.get('/v1/devices/demo/observe?screenshot=none&elements=compact');
    expect(body.observation.elements_text).to.include('="Oat milk"');
    await leaveNote();
    expect((await cli(...words)).stderr).to.include('needs a value for title');
    expect((await cli('groups', '--replay', file)).stderr).to.include('groups: --replay needs --create FILE');
    expect((await cli('groups', '--create', group, '--var', 'title=x')).stderr).to.include('--var needs --replay FILE');
  });

  it('report a phone that is away as an error of the step, with its own status', async () => {
    await world.api.createPhone({ name: 'off', start: false });
    const file = write('away.yaml', 'version: 1\nsteps:\n  - open_app: {app: Notes}\n  - wait: {}\n');
    const { status, stdout, stderr } = await cli('replay', file, '--device', 'off', '--junit', path('away.xml'));
    expect(status, stderr).to.equal(5);
    expect(stdout).to.match(/^not ok 1\/2 open_app "Notes" {2}\d+\.\d s\n$/);
    expect(stderr).to.include('step 1 of 2 could not be done').and.include('the screen could not be read');
    const report = tagsOf(readFileSync(path('away.xml'), 'utf8'));
    expect(report[1]?.attributes).to.include({ failures: '0', errors: '1', skipped: '1' });
    expect((await cli('replay', file, '--device', 'nobody')).status).to.equal(4);
    const byPlace = write('place.yaml', 'version: 1\nsteps:\n  - tap: {x: 1, y: 1}\n  - wait: {}\n');
    const failed = await cli('replay', byPlace, '--device', 'off', '--junit', path('place.xml'));
    expect([failed.status, failed.stderr.includes('step 1 of 2 could not be done')]).to.deep.equal([5, true]);
    expect(tagsOf(readFileSync(path('place.xml'), 'utf8'))[1]?.attributes).to.include({ errors: '1', skipped: '1' });
  });

  it('refuse a file that is none, before anything is done', async () => {
    const file = write('bad.yaml', 'version: 1\nsteps:\n  - tapp: {text: Save}\n');
    const { status, stderr } = await cli('replay', file, '--device', 'demo');
    expect(status).to.equal(2);
    expect(stderr).to.include(`${file}: line 3: steps[0].tapp is not known here.`);
    const long = write(
      'long-values.yaml',
      'version: 1\nvariables: {a: {}}\nsteps:\n  - key: {name: home}\n  - type: {text: "${a}${a}${a}"}\n',
    );
    const values = write('a.yaml', `a: ${'x'.repeat(9_000)}\n`);
    const words = ['--var-file', values];
    const tooLong = await cli('replay', long, '--device', 'demo', ...words);
    expect([tooLong.status, tooLong.stdout]).to.deep.equal([2, '']);
    expect(tooLong.stderr).to.include(`${long}: steps[1].type.text: with its variables, the text is longer than`);
    const none = await cli('replay', path('none.yaml'), '--device', 'demo');
    const lines = [
      `cloudphone: ${path('none.yaml')}: there is no such file or folder. Check the path, or make the folder first.\n`,
      `cloudphone: ${home}: it is a folder. Give the path of a file.\n`,
    ];
    expect([none.status, none.stderr]).to.deep.equal([1, lines[0]]);
    const folder = await cli('replay', home, '--device', 'demo');
    expect([folder.status, folder.stderr]).to.deep.equal([1, lines[1]]);
    const nowhere = await cli('record-steps', 'demo', '-o', path('none/steps.yaml'));
    expect([nowhere.status, nowhere.stderr]).to.deep.equal([1, lines[0]?.replace('none.yaml', 'none')]);
    const endless = await cli('replay', '/dev/zero', '--device', 'demo');
    expect([endless.status, endless.stderr.includes('larger than')]).to.deep.equal([2, true]);
    const input = 'x'.repeat(20 * 1024 * 1024);
    const endlessInput = await callCli(['replay', '-', '--device', 'demo'], environment, { input });
    expect([endlessInput.status, endlessInput.stderr.includes('larger than')]).to.deep.equal([2, true]);
    expect((await cli('replay', file)).stderr).to.equal('cloudphone: replay: --device NAME is missing.\n');
  });
});

/** Returns the tags of an XML document. Throws where it is not well-formed. */
function tagsOf(xml: string): { name: string; attributes: Record<string, string> }[] {
  const tags: { name: string; attributes: Record<string, string> }[] = [];
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => tags.push({ name, attributes: { ...attributes } }));
  parser.write(xml).close();
  return tags;
}
