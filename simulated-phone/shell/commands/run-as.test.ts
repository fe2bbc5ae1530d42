import { expect } from 'chai';
import { runScript } from '../../../testing/phone/run-script.js';
import { startPhone } from '../../../testing/phone/start-phone.js';

describe('run-as', () => {
  let world: Awaited<ReturnType<typeof startPhone>>;
  before(async () => {
    const facts = { versionName: '1.0', versionCode: 1, system: true, firstInstallTimeMs: 0, lastUpdateTimeMs: 0 };
    const builtIns = ['notes', 'messages'].map((name) => ({
      package: `com.cloudphone.${name}`,
      label: name,
      ...facts,
    }));
    world = await startPhone({ builtIns });
  });
  after(() => world.stop());

  const run = (script: string, stdin = ''): ReturnType<typeof runScript> =>
    runScript(world.phone.machine, script, { stdin });

  it('reads and writes the files of an app, in the folder of the app', async () => {
    const written = await run('run-as com.cloudphone.notes tee files/notes.json', '[]');
    expect(written).to.include({ status: 0, stdout: '[]' });
    expect((await run('run-as com.cloudphone.notes cat files/notes.json')).stdout).to.equal('[]');
    expect((await run('run-as com.cloudphone.notes pwd')).stdout).to.equal('/data/data/com.cloudphone.notes\n');
    const script = 'run-as com.cloudphone.notes sh -c \'for name in files/*; do echo "$name: $(cat $name)"; done\'';
    expect((await run(script)).stdout).to.equal('files/notes.json: []\n');
  });

  it('opens no other folder of the phone', async () => {
    await run('run-as com.cloudphone.messages true');
    for (const path of ['/data/data/com.cloudphone.messages', '/data/data', '/data/system']) {
      const { status, stderr } = await run(`run-as com.cloudphone.notes ls ${path}`);
      expect([path, status, stderr.includes('Permission denied')]).to.deep.equal([path, 1, true]);
    }
    const outside = await run('run-as com.cloudphone.notes true; cat /data/data/com.cloudphone.notes/files/notes.json');
    expect(outside.stderr).to.include('Permission denied');
  });

  it('refuses what is no app of the phone', async () => {
    const unknown = await run('run-as com.example.none id');
    expect(unknown).to.include({ status: 1, stderr: 'run-as: unknown package: com.example.none\n' });
    expect((await run('run-as')).status).to.equal(1);
  });
});
