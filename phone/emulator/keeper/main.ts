import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import net from 'node:net';
import { systemClock } from '../../../kit/clock.js';
import { lockFolder } from '../../../kit/folder-lock.js';
import { thisProcess } from '../../../kit/process-owner.js';
import { readDiscovery } from '../discovery-file.js';
import { CONSOLE_SOCKET, EXIT_SOCKET, TOKEN_FILE } from '../phone-files.js';
import { ADB_PORT, CONSOLE_PORT, PROXY_PORT } from '../ports.js';
import { type Run, writeRun } from '../run-record.js';
import { BoundedLog, KEEPER_MARK, START_MARK } from './bounded-log.js';
import type { KeeperPlan, KeeperReport } from './keeper-messages.js';
import { PipedServer } from './piped-server.js';
import { stopEmulator } from './stop-emulator.js';

/**
 * The keeper of one phone: the parent of its emulator, in the phone's network namespace, with the phone's folder as its working
 * directory. It outlives the service, and ends with the emulator. It passes on connections to ADB and the console from outside and the
 * proxy's from inside,
 * writes the emulator's output into a bounded file, and notes the end.
 *
 * SIGTERM: it ends the emulator in an orderly way. SIGHUP: the forwarder is another one.
 */

/** As many as a phone's adbd and its forwarder may have. */
const MOST_ADB = 64;
const MOST_PROXIED = 512;
/** The service's own, one at a time, and those that it gave up. */
const MOST_CONSOLES = 8;
const LAST_WORDS_MS = 500;

const onSignal = { term: (): void => process.exit(0), hup: (): void => undefined };
process.on('SIGTERM', () => onSignal.term());
process.on('SIGHUP', () => onSignal.hup());
// The service that started it may crash before the plan is sent.
process.once('disconnect', () => process.exit(1));
const [plan, server] = (await once(process, 'message')) as [KeeperPlan, net.Server];
process.removeAllListeners('disconnect');
process.on('disconnect', () => undefined);

const folder = '.';
const log = new BoundedLog(folder);
const note = (line: string): void => log.write(`${KEEPER_MARK}${line}\n`);
// Its standard error ends with the service, and writing there must not end the keeper.
process.on('uncaughtExceptionMonitor', (error) => note(error.stack ?? error.message));
process.stderr.on('error', () => undefined);

try {
  lockFolder(folder);
} catch (error) {
  // Another keeper has the phone: that one goes on.
  await report({ failed: error instanceof Error ? error.message : String(error) });
  process.exit(1);
}
const run: Run = { owner: thisProcess(), host: plan.host, port: plan.port };
writeRun(folder, run);
log.write(`${START_MARK}${plan.command.join(' ')}\n`);

const proxy = new PipedServer({
  connect: () => net.connect({ path: EXIT_SOCKET, allowHalfOpen: true }),
  most: MOST_PROXIED,
});
// All addresses of a namespace that has loopback alone.
await proxy.listen({ host: '0.0.0.0', port: PROXY_PORT }, (error) => note(`the proxy: ${error.message}`));
onSignal.hup = () => proxy.drop();
const consoles = new PipedServer({
  connect: () => net.connect({ host: '127.0.0.1', port: CONSOLE_PORT, allowHalfOpen: true }),
  most: MOST_CONSOLES,
});
// Of an earlier keeper.
rmSync(CONSOLE_SOCKET, { force: true });
await consoles.listen({ path: CONSOLE_SOCKET }, (error) => note(`the console: ${error.message}`));
const adb = new PipedServer({
  connect: () => net.connect({ host: '127.0.0.1', port: ADB_PORT, noDelay: true, allowHalfOpen: true }),
  most: MOST_ADB,
});
// Such as a lack of file descriptors for a connection.
server.on('error', (error) => note(`ADB: ${error.message}`));
server.on('connection', (client) => adb.accept(client.setNoDelay(true)));

const emulator = startEmulator(plan.command);
emulator.once('exit', (code, signal) => {
  const how = code === null ? `by ${signal ?? 'a signal'}` : `with status ${code}`;
  // Its last words may be on their way; a process that it started may hold the pipe open for as long as it likes.
  const lastWords = once(emulator, 'close');
  void Promise.race([lastWords, systemClock.sleep(LAST_WORDS_MS)]).then(() =>
    end(`The emulator ended ${how}.`, code === 0),
  );
});
onSignal.term = () => {
  onSignal.term = () => undefined;
  void stopEmulator({ emulator, tokenFile: TOKEN_FILE, stepMs: plan.times.stepMs, clock: systemClock, note });
};
await reportLaunch();

function startEmulator([program, ...words]: KeeperPlan['command']): ChildProcess {
  // The kernel kills it when the keeper ends, however that ends.
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
async function report(message: KeeperReport): Promise<void> {
  if (!process.connected) return;
  await new Promise<void>((resolve) => process.send?.(message, undefined, undefined, () => resolve()));
}
