import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Behaviour, readBehaviour } from './behaviour.js';
import { serveConsole } from './console-server.js';
import { GuestConditions } from './guest-conditions.js';
import { helpText, type Options, parseOptions } from './options.js';
import { lockDevice, openDisks, readVirtualDevice, type VirtualDevice } from './virtual-device.js';

/**
 * The stand-in for the emulator of the Android SDK: its options, its files, its console and its ports, in front of a simulated phone.
 * stand-in.json gives it faults. `android-home.ts` puts it into an SDK.
 */

const androidHome = variable('ANDROID_HOME');
const behaviourOfSdk = readBehaviour(undefined, androidHome);
try {
  await main(parseOptions(process.argv.slice(2), behaviourOfSdk.lacks));
} catch (error) {
  process.stderr.write(`ERROR        | ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

async function main(options: Options): Promise<void> {
  if (options.has('-version')) {
    print('Android emulator version 35.9.9.0 (build_id 1) (stand-in)\n');
    return;
  }
  if (options.has('-help')) {
    print(helpText(behaviourOfSdk.lacks));
    return;
  }
  if (options.has('-accel-check')) {
    const { status, reason } = behaviourOfSdk.accel ?? {
      status: 0,
      reason: 'KVM (version 12) is installed and usable.',
    };
    print(`accel:\n${status}\n${reason}\naccel\n`);
    process.exitCode = status;
    return;
  }
  const name = options.get('-avd');
  if (name === undefined) throw new Error("No AVD specified. Use '@foo' or '-avd foo' to launch a virtual device");
  const device = readVirtualDevice(name, { avdHome: variable('ANDROID_AVD_HOME'), androidHome });
  const behaviour = readBehaviour(device.folder, androidHome);
  if (options.has('-wipe-data')) rmSync(join(device.folder, 'userdata-qemu.img'), { force: true });
  if (behaviour.launch === 'exits') throw new Error('PANIC: Cannot find the Vulkan of this test');
  if (behaviour.ignoresSigterm === true) process.on('SIGTERM', () => undefined);
  else process.on('SIGTERM', () => process.exit(0));
  if (behaviour.leavesProcess === true) spawn('sleep', ['600'], { detached: true, stdio: 'inherit' }).unref();
  print(`INFO         | Found AVD name '${name}'\n`);
  lockDevice(device);
  openDisks(device);
  if (behaviour.launch === 'hangs') return void setInterval(() => undefined, 3_600_000);
  await run(device, options, behaviour);
}

async function run(device: VirtualDevice, options: Options, behaviour: Behaviour): Promise<void> {
  const [consolePort = 0, adbPort = 0] = (options.get('-ports') ?? '').split(',').map(Number);
  const grpcPort = Number(options.get('-grpc'));
  if (options.has('-grpc') && !options.has('-grpc-use-token')) {
    print('WARNING      | *** Basic token auth should only be used by android-studio ***\n');
  }
  // The guest's address of its host is another name of loopback, as in the emulator's own network.
  execFileSync('ip', ['address', 'replace', '10.0.2.2/32', 'dev', 'lo']);
  const guest = new GuestConditions();
  await serveConsole({
    port: consolePort,
    home: variable('HOME'),
    avd: device.name,
    behaviour: behaviour.console,
    onKill: () => process.exit(0),
    onCondition: (words) => guest.apply(words),
  });
  publish(device, { consolePort, adbPort, grpcPort, other: behaviour.launch === 'other-avd' });
  if (behaviour.launch === 'killed') process.kill(process.pid, 'SIGKILL');
  // Loaded late, so that options that only print something are as quick as the emulator's.
  const { bootPhone } = await import('./boot-phone.js');
  await bootPhone(device, {
    adbPort,
    serial: options.get('-android-serialno') ?? 'EMULATOR35X9X9X0',
    behaviour,
    guest,
  });
  print('INFO         | Boot completed\n');
}

/** Writes the file by which other programs find a running emulator. */
function publish(
  device: VirtualDevice,
  ports: { consolePort: number; adbPort: number; grpcPort: number; other: boolean },
): void {
  const folder = join(variable('XDG_RUNTIME_DIR'), 'avd', 'running');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `pid_${process.pid}.ini`);
  const values = {
    'port.serial': ports.consolePort,
    'port.adb': ports.adbPort,
    'avd.name': device.name,
    'avd.dir': device.folder,
    'avd.id': ports.other ? 'another' : device.name,
    'grpc.port': ports.grpcPort,
    'grpc.token': randomBytes(32).toString('base64'),
    cmdline: process.argv.slice(1).map((word) => `"${word}"`).join(' '), // prettier-ignore
  };
  writeFileSync(file, Object.entries(values).map(([key, value]) => `${key}=${value}\n`).join('')); // prettier-ignore
  process.on('exit', () => rmSync(file, { force: true }));
}

function variable(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`${name} is not set`);
  return value;
}

function print(text: string): void {
  process.stdout.write(text);
}
