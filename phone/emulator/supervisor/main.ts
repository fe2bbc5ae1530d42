import { begunAhead } from '../../../kit/async/begun-ahead.js';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import net from 'node:net';
import { systemClock } from '../../../kit/async/clock.js';
import { lockFolder } from '../../../kit/files/folder-lock.js';
import { thisProcess } from '../../../kit/process/process-owner.js';
import { readDiscovery } from '../discovery-file.js';
import { CONSOLE_SOCKET, EXIT_SOCKET, TOKEN_FILE } from '../phone-files.js';
import { ADB_PORT, CONSOLE_PORT, PROXY_PORT } from '../ports.js';
import { type Run, writeRun } from '../run-record.js';
import { BoundedLog, SUPERVISOR_MARK, START_MARK } from './bounded-log.js';
import type { SupervisorPlan, SupervisorReport } from './supervisor-messages.js';
import { PipedServer } from './piped-server.js';
import { stopEmulator } from './stop-emulator.js';

/**
 * The supervisor of one phone: the parent of its emulator, in the phone's network namespace, with the phone's folder as its working
 * directory. It outlives the service, and ends with the emulator. It passes on connections from outside to ADB and to the console, and
 * connections from the phone to the proxy. It writes the emulator's output into a bounded file, and notes the end.
 *
 * SIGTERM ends the emulator in an orderly way. SIGHUP reports that the forwarder has changed: connections to the old one are cut.
 */

/** Most connections that a phone's adbd, and its forwarder, may have. */
const MAX_ADB_CONNECTIONS = 64;
const MAX_PROXY_CONNECTIONS = 512;
/** Most connections to the console. The service opens one at a time, but connections that it gave up may still be open. */
const MAX_CONSOLES = 8;
const LAST_WORDS_MS = 500;

const onSignal = { term: (): void => process.exit(0), hup: (): void => undefined };
process.on('SIGTERM', () => onSignal.term());
process.on('SIGHUP', () => onSignal.hup());
// The service that started it may crash before the plan is sent.
process.once('disconnect', () => process.exit(1));
const [plan, server] = (await once(process, 'message')) as [SupervisorPlan, net.Server];
process.removeAllListeners('disconnect');
process.on('disconnect', () => undefined);

const folder = '.';
const log = new BoundedLog(folder);
const note = (line: string): void => log.write(`${SUPERVISOR_MARK}${line}\n`);
// A failure of one connection or one signal is no reason to end the phone.
process.on('unhandledRejection', (reason) =>
  note(reason instanceof Error ? (reason.stack ?? reason.message) : String(reason)),
);
process.on('uncaughtExceptionMonitor', (error) => note(error.stack ?? error.message));
// The supervisor's standard error closes when the service ends. Writing to it then must not end the supervisor.
process.stderr.on('error', () => undefined);

try {
  lockFolder(folder);
} catch (error) {
  // Another supervisor runs this phone, and goes on.
  await report({ failed: error instanceof Error ? error.message : String(error) });
  process.exit(1);
}
const run: Run = { owner: thisProcess(), host: plan.host, port: plan.port };
writeRun(folder, run);
log.write(`${START_MARK}${plan.command.join(' ')}\n`);

const proxy = new PipedServer({
  connect: () => net.connect({ path: EXIT_SOCKET, allowHalfOpen: true }),
  most: MAX_PROXY_CONNECTIONS,
});
// 0.0.0.0 stands for all addresses of the network namespace, which has loopback addresses only.
await proxy.listen({ host: '0.0.0.0', port: PROXY_PORT }, (error) => note(`the proxy: ${error.message}`));
onSignal.hup = () => proxy.drop();
const consoles = new PipedServer({
  connect: () => net.connect({ host: '127.0.0.1', port: CONSOLE_PORT, allowHalfOpen: true }),
  most: MAX_CONSOLES,
});
// The socket may be left from an earlier supervisor.
rmSync(CONSOLE_SOCKET, { force: true });
await consoles.listen({ path: CONSOLE_SOCKET }, (error) => note(`the console: ${error.message}`));
const adb = new PipedServer({
  connect: () => net.connect({ host: '127.0.0.1', port: ADB_PORT, noDelay: true, allowHalfOpen: true }),
  most: MAX_ADB_CONNECTIONS,
});
// The error may be a lack of file descriptors for a connection.
server.on('error', (error) => note(`ADB: ${error.message}`));
server.on('connection', (client) => adb.accept(client.setNoDelay(true)));

const emulator = startEmulator(plan.command);
emulator.once('exit', (code, signal) => {
  const how = code === null ? `by ${signal ?? 'a signal'}` : `with status ${code}`;
  // The emulator's last lines may still arrive. The wait has a limit, as a process that the emulator started may hold the pipe open.
  const lastWords = begunAhead(once(emulator, 'close'));
  void Promise.race([lastWords, systemClock.sleep(LAST_WORDS_MS)]).then(() =>
    end(`The emulator ended ${how}.`, code === 0),
  );
});
onSignal.term = () => {
  onSignal.term = () => undefined;
  void stopEmulator({ emulator, tokenFile: TOKEN_FILE, stepMs: plan.times.stepMs, clock: systemClock, note });
};
await reportLaunch();

function startEmulator([program, ...words]: SupervisorPlan['command']): ChildProcess {
  // The kernel kills the emulator when the supervisor ends for any reason.
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', '--', program, ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.on('data', (part: Buffer) => log.write(part));
  child.stderr.on('data', (part: Buffer) => log.write(part));
  child.once('error', (error) => {
    void end(`The emulator cannot be started (${error.message}).`);
  });
  return child;
}

async function reportLaunch(): Promise<void> {
  const deadlineMs = systemClock.monotonicMs() + plan.times.launchMs;
  for (;;) {
    const found = await readDiscovery('runtime');
    if (found !== undefined) {
      const isOurs = found.adbPort === ADB_PORT && (found.avdId === undefined || found.avdId === plan.avd);
      if (isOurs) return report({ launched: true });
      return giveUp(
        `The emulator runs another virtual device (${found.avdId ?? 'unnamed'}, ADB port ${found.adbPort}).`,
      );
    }
    if (systemClock.monotonicMs() > deadlineMs)
      return giveUp(`The emulator opened no ports within ${plan.times.launchMs / 1000} s.`);
    await systemClock.sleep(20);
  }
}

/** Ends an emulator that is of no use. */
async function giveUp(reason: string): Promise<void> {
  emulator.removeAllListeners('exit');
  emulator.kill('SIGKILL');
  await end(reason);
}

async function end(reason: string, inOrder = false): Promise<never> {
  note(reason);
  writeRun(folder, { ...run, ended: reason, inOrder });
  await report({ failed: reason });
  process.exit(0);
}

/** Returns once the message is on its way. A service that has gone needs none. */
async function report(message: SupervisorReport): Promise<void> {
  if (!process.connected) return;
  await new Promise<void>((resolve) => process.send?.(message, undefined, undefined, () => resolve()));
}
