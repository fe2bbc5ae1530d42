import { closeSync, mkdtempSync, openSync, rmSync, truncateSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../kit/async/clock.js';
import { AdbClient } from '../relay/adb-client.js';
import { undoLater } from './interrupt.js';
import { inTurn, median, type Report } from './report.js';
import { benchFloods } from './relay-flooded.js';
import { Peer } from './relay-peer.js';

const PUSH_BYTES = 512 * 1024 * 1024;
const SLOW_BYTES = 2 * 1024 ** 3;
const ECHOES = 60;
const BLOCKS = 5;

/**
 * Measures rows P9 to P11. Each part is a process of its own, as in production: the stock adb, the relay with all guards on, and a phone.
 * The phone takes and makes bytes as fast as it can (`relay-process.ts`), so that the relay is measured and not a disk.
 */
export async function benchRelay(report: Report): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'relay-bench-'));
  undoLater(() => rmSync(folder, { recursive: true, force: true }));
  const phone = await Peer.start('phone');
  const relay = await Peer.start('relay', String(phone.port));
  // The code that a user would write without us: two sockets piped into each other.
  const pipe = await Peer.start('pipe', String(phone.port));
  const adb = await AdbClient.start();
  try {
    const { code, port } = await relay.ask({ ask: 'enable' });
    const through = { relay: `127.0.0.1:${port}`, pipe: `127.0.0.1:${pipe.port}`, direct: `127.0.0.1:${phone.port}` };
    await adb.run('connect', through.pipe);
    await adb.run('connect', through.direct);
    await adb.login({ host: '127.0.0.1', port, code });
    // Each transfer on a connection of its own: all guards are on, and a connection moves 2 GiB at the most.
    const anew = async (): Promise<void> => {
      await adb.run('disconnect', through.relay);
      await adb.login({ host: '127.0.0.1', port, code });
    };
    const file = sparseFile(join(folder, 'file'), PUSH_BYTES);
    const push = (serial: string) => timed(adb, PUSH_BYTES, '-s', serial, 'push', file, '/sdcard/file');
    const pull = (serial: string) =>
      timed(adb, PUSH_BYTES, '-s', serial, 'pull', `/size/${PUSH_BYTES}`, join(folder, 'back'));

    for (const [name, run] of [
      ['push', push],
      ['pull', pull],
    ] as const) {
      const { ratio, ...figures } = await inTurn(
        async () => {
          await anew();
          return run(through.relay);
        },
        () => run(through.pipe),
      );
      report({
        what: `P9 relay ${name} of 512 MB, stock adb, all guards on`,
        ours: `${figures.ours.toFixed(0)} MB/s`,
        theirs: `${figures.theirs.toFixed(0)} MB/s through a plain Node socket pipe`,
        ratio,
        goal: '>= 0.6, stretch 0.85',
        holds: ratio.median >= 0.6,
      });
    }

    await anew();
    const three = async (serial: string): Promise<number> => {
      const beganMs = performance.now();
      await Promise.all([push(serial), pull(serial), push(serial)]);
      return (3 * PUSH_BYTES) / 1e6 / ((performance.now() - beganMs) / 1000);
    };
    const { ratio, ...figures } = await inTurn(
      async () => {
        await anew();
        return three(through.relay);
      },
      () => three(through.pipe),
      3,
    );
    report({
      what: 'P9 three transfers of 512 MB at once (push, pull, push)',
      ours: `${figures.ours.toFixed(0)} MB/s together`,
      theirs: `${figures.theirs.toFixed(0)} MB/s through the pipe`,
      ratio,
      goal: '>= 0.6',
      holds: ratio.median >= 0.6,
    });

    await benchEcho(report, adb, through, anew);
    await benchMemory(report, relay, { port, code }, folder, adb);
    await benchStorm(report, relay);
    await benchFloods(report, relay, { port, code });
  } finally {
    await adb.close();
    pipe.stop();
    relay.stop();
    phone.stop();
  }
}

/**
 * Measures both sides one echo at a time in turn. The difference is smaller than a busy machine's variation from one second to the next.
 */
export async function benchEcho(
  report: Report,
  adb: AdbClient,
  through: { relay: string; direct: string },
  anew: () => Promise<void>,
  row: { what: string; against: string; mostAddedMs: number } = {
    what: 'P10 adb shell echo',
    against: 'direct',
    mostAddedMs: 0.5,
  },
): Promise<void> {
  await anew();
  const echo = async (serial: string): Promise<number> => {
    const beganMs = performance.now();
    const { stdout } = await adb.run('-s', serial, 'shell', 'echo');
    if (stdout !== 'echo\n') throw new Error(`echo printed ${stdout}`);
    return performance.now() - beganMs;
  };
  const blocks: { ours: number; theirs: number }[] = [];
  for (let block = 0; block <= BLOCKS; block++) {
    const ours: number[] = [];
    const theirs: number[] = [];
    for (let count = 0; count < ECHOES; count++) {
      ours.push(await echo(through.relay));
      theirs.push(await echo(through.direct));
    }
    // The first block warms up.
    if (block > 0) blocks.push({ ours: median(ours), theirs: median(theirs) });
  }
  const ratios = blocks.map(({ ours, theirs }) => ours / theirs);
  const ours = median(blocks.map((block) => block.ours));
  const theirs = median(blocks.map((block) => block.theirs));
  const addedMs = median(blocks.map((block) => block.ours - block.theirs));
  report({
    what: `${row.what}, p50 of ${ECHOES} in each of ${BLOCKS} blocks`,
    ours: `${ours.toFixed(2)} ms (${addedMs >= 0 ? '+' : ''}${addedMs.toFixed(2)} ms)`,
    theirs: `${theirs.toFixed(2)} ms ${row.against}`,
    ratio: { median: median(ratios), min: Math.min(...ratios), max: Math.max(...ratios) },
    goal: `<= ${row.against} + ${row.mostAddedMs} ms`,
    holds: addedMs <= row.mostAddedMs,
  });
}

async function benchMemory(
  report: Report,
  relay: Peer,
  enabled: { port: number; code: string },
  folder: string,
  adb: AdbClient,
): Promise<void> {
  const serial = `127.0.0.1:${enabled.port}`;
  await adb.run('disconnect', serial);
  await adb.login({ host: '127.0.0.1', ...enabled });
  // The idle memory is measured after the earlier transfers, so the growth is that by 2 GiB, and not that by a first connection.
  const idle = (await relay.ask({ ask: 'memory' })).rssBytes;
  await relay.ask({ ask: 'watch memory' });
  const file = sparseFile(join(folder, 'large'), SLOW_BYTES);
  await adb.with({ timeoutMs: 600_000 }, '-s', serial, 'push', file, '/slow/large');
  const most = (await relay.ask({ ask: 'memory' })).mostRssBytes;
  const addedMb = (most - idle) / 2 ** 20;
  report({
    what: 'P11 relay memory while 2 GiB go to a phone that takes 64 KiB at a time, with pauses',
    ours: `${(most / 2 ** 20).toFixed(0)} MiB (${addedMb >= 0 ? '+' : ''}${addedMb.toFixed(0)})`,
    theirs: `${(idle / 2 ** 20).toFixed(0)} MiB idle`,
    goal: '<= +64 MiB',
    holds: addedMb <= 64,
  });
}

/** A client's reconnect loop, every 250 ms, from an address that is not allowed. */
async function benchStorm(report: Report, relay: Peer): Promise<void> {
  const STORM_MS = 60_000;
  const { port } = await relay.ask({ ask: 'enable for others' });
  const before = (await relay.ask({ ask: 'memory' })).cpuMs;
  for (let passedMs = 0; passedMs < STORM_MS; passedMs += 250) {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    await systemClock.sleep(250);
  }
  const share = ((await relay.ask({ ask: 'memory' })).cpuMs - before) / STORM_MS;
  report({
    what: 'reconnect loop of 250 ms from a forbidden address, 60 s',
    ours: `${(share * 100).toFixed(2)} % of a core (with all the relay does besides)`,
    theirs: '',
    goal: '< 2 %',
    holds: share < 0.02,
  });
}

export async function timed(adb: AdbClient, bytes: number, ...args: string[]): Promise<number> {
  const beganMs = performance.now();
  const ran = await adb.with({ timeoutMs: 300_000 }, ...args);
  if (ran.status !== 0) throw new Error(`adb ${args.join(' ')}: ${ran.stdout}${ran.stderr}`);
  return bytes / 1e6 / ((performance.now() - beganMs) / 1000);
}

/** Zeros that take no room on the disk, so that reading them costs both sides the same little. */
export function sparseFile(path: string, bytes: number): string {
  closeSync(openSync(path, 'w'));
  truncateSync(path, bytes);
  return path;
}
