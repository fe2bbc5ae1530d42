import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { removeLocks, writeAvd } from './avd-files.js';
import { emulatorEnvironment } from './command-line.js';
import { parseDiscovery, readDiscovery } from './discovery-file.js';
import { BoundedLog, lastLogLines } from './supervisor/bounded-log.js';
import { presentRun, readRun, writeRun } from './run-record.js';
import { parseSystemImage } from './system-image.js';

describe('files of a phone in the emulator', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'phone-files-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('describe the virtual device, where no text can add a setting', async () => {
    const image = parseSystemImage('system-images;android-34;google_apis;arm64-v8a');
    if (image === undefined) throw new Error('no image');
    const model = {
      ...{ name: 'Phone', screen: { width: 1080, height: 2400, density: 420 }, memoryMb: 3_072 },
      ...{ cpus: 1.5, diskMb: 8_192, gpu: 'off\nhw.ramSize=1' },
    };
    await writeAvd({ name: 'ph_a', image, model }, { home: join(folder, 'avd'), data: folder, dataSeen: '/seen/data' });
    expect(readFileSync(join(folder, 'avd', 'ph_a.ini'), 'utf8')).to.equal(
      'avd.ini.encoding=UTF-8\npath=/seen/data\ntarget=android-34\n',
    );
    const lines = readFileSync(join(folder, 'config.ini'), 'utf8').split('\n');
    expect(lines).to.include.members([
      'AvdId=ph_a',
      'hw.lcd.width=1080',
      'hw.lcd.height=2400',
      'hw.lcd.density=420',
      'hw.ramSize=3072',
      'hw.cpu.ncore=2',
      'hw.cpu.arch=arm64',
      'disk.dataPartition.size=8192M',
      'hw.gpu.mode=off hw.ramSize=1',
      'image.sysdir.1=system-images/android-34/google_apis/arm64-v8a/',
    ]);
    expect(lines.filter((line) => line.startsWith('hw.ramSize'))).to.have.length(1);
  });

  it('lose the locks of an emulator that was killed, and nothing else', async () => {
    mkdirSync(join(folder, 'hardware-qemu.ini.lock'));
    for (const name of ['hardware-qemu.ini.lock/pid', 'multiinstance.lock', 'config.ini', 'lockscreen'])
      writeFileSync(join(folder, name), '');
    await removeLocks(folder);
    expect(readdirSync(folder)).to.deep.equal(['config.ini', 'lockscreen']);
  });

  it('give the emulator nothing of the service but where programs are', () => {
    const phone = { folder: '/phones/ph_a', seen: '/seen', androidHome: '/sdk' };
    const environment = emulatorEnvironment(phone, { PATH: '/bin', SECRETS_KEY: 'x', MONGODB_URL: 'y', HOME: '/root' });
    expect(environment).to.include({ PATH: '/bin', HOME: '/seen/home', CLOUDPHONE_PHONE_FOLDER: '/phones/ph_a' });
    expect(environment).not.to.have.any.keys('SECRETS_KEY', 'MONGODB_URL');
  });

  it('show an emulator once it has written its ADB port', async () => {
    expect(await readDiscovery(folder)).to.equal(undefined);
    const running = join(folder, 'avd', 'running');
    mkdirSync(running, { recursive: true });
    writeFileSync(join(running, 'other.ini'), 'port.adb=1\n');
    writeFileSync(join(running, 'pid_12.ini'), 'avd.id=ph_a\n');
    expect(await readDiscovery(folder)).to.equal(undefined);
    writeFileSync(join(running, 'pid_12.ini'), 'avd.id=ph_a\r\nport.adb = 5641\ngrpc.token=a=b\n');
    expect(await readDiscovery(folder)).to.deep.equal({ avdId: 'ph_a', adbPort: 5_641 });
    expect(parseDiscovery('port.adb=99999999\n=x\n')).to.deep.equal({ avdId: undefined, adbPort: undefined });
  });

  it('have a log of two bounded files, and its last lines without paths and the words of the supervisor', () => {
    const log = new BoundedLog(folder);
    expect(lastLogLines(folder, 5)).to.equal('');
    for (let line = 0; line < 30_000; line++) log.write(`line ${line} ${'x'.repeat(60)}\n`);
    log.write('ERROR | cannot open /home/someone/.android/avd/x.img: no\n\nsupervisor: the emulator ended\n');
    const bytes = readdirSync(folder).map((name) => statSync(join(folder, name)).size);
    expect(bytes).to.have.length(2);
    for (const size of bytes) expect(size).to.be.at.most(512 * 1_024);
    expect(lastLogLines(folder, 2).split('\n')).to.deep.equal([
      `line 29999 ${'x'.repeat(60)}`,
      'ERROR | cannot open (path): no',
    ]);
    new BoundedLog(folder).write('supervisor: starting it again\nthe néxt start\n');
    expect(lastLogLines(folder, 5)).to.equal('the n?xt start');
  });

  it('have a record of the latest start, which is not under way once its process has ended', () => {
    expect(readRun(folder)).to.equal(undefined);
    const run = { owner: { pid: process.pid, host: 'another', started: '' }, host: '127.0.0.1', port: 40_000 };
    writeRun(folder, run);
    expect(readRun(folder)).to.deep.equal(run);
    expect(presentRun(folder)).to.equal(undefined);
    writeFileSync(join(folder, 'run.json'), '');
    expect(readRun(folder)).to.equal(undefined);
  });
});
