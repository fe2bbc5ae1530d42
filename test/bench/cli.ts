import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AdbClient } from '../relay/adb-client.js';
import { benchCliStart } from './cli-start.js';
import { undoLater } from './interrupt.js';
import { benchEcho, sparseFile, timed } from './relay.js';
import { Peer } from './relay-peer.js';
import { inTurn, type Report } from './report.js';

const FILE_BYTES = 512 * 1024 * 1024;

/**
 * Measures rows P31 to P33: the command line's start, and adb through the API against the relay's port. Gateway, relay, phone, and the program that opens a port for adb are
 * a process each, as in production.
 */
export async function benchCli(report: Report): Promise<void> {
  await benchCliStart(report);
  const folder = mkdtempSync(join(tmpdir(), 'cli-bench-'));
  undoLater(() => rmSync(folder, { recursive: true, force: true }));
  const phone = await Peer.start('phone');
  const relay = await Peer.start('relay', String(phone.port));
  const { code, port } = await relay.ask({ ask: 'enable' });
  const edge = await Peer.start('edge', String((await relay.ask({ ask: 'serve' })).port));
  const tunnel = await Peer.start('tunnel', String(edge.port));
  const adb = await AdbClient.start();
  try {
    const [atPort, through] = [`127.0.0.1:${port}`, `127.0.0.1:${tunnel.port}`];
    // Each transfer on a connection of its own, as a connection moves 2 GiB at the most.
    const anew = async (): Promise<void> => {
      await adb.connectAnew(through);
      await adb.login({ host: '127.0.0.1', port, code });
    };
    const file = sparseFile(join(folder, 'file'), FILE_BYTES);
    const runs = {
      push: (serial: string) => timed(adb, FILE_BYTES, '-s', serial, 'push', file, '/sdcard/file'),
      pull: (serial: string) =>
        timed(adb, FILE_BYTES, '-s', serial, 'pull', `/size/${FILE_BYTES}`, join(folder, 'back')),
    };
    for (const [name, run] of Object.entries(runs)) {
      const { ratio, ours, theirs } = await inTurn(
        async () => {
          await anew();
          return run(through);
        },
        () => run(atPort),
      );
      report({
        what: `P31 adb ${name} of 512 MB through the API`,
        ours: `${ours.toFixed(0)} MB/s`,
        theirs: `${theirs.toFixed(0)} MB/s through the relay's port`,
        ratio,
        goal: '>= 0.7',
        holds: ratio.median >= 0.7,
      });
    }
    const row = { what: 'P32 adb shell echo through the API', against: "at the relay's port", mostAddedMs: 1.5 };
    await benchEcho(report, adb, { relay: through, direct: atPort }, anew, row);
  } finally {
    await adb.close();
    for (const part of [tunnel, edge, relay, phone]) part.stop();
  }
}
