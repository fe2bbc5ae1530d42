import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { constants, homedir } from 'node:os';
import { platformWait } from '../../client/src/platform.js';
import { readSettings } from './config.js';
import { Interrupted } from './output/failure.js';
import { openTerminal } from './output/terminal.js';
import { runProgram } from './program.js';
import { COMMANDS } from './table/commands.js';

// From dist/, where build.mjs puts this program.
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

const ended = new AbortController();
// A command gets time to tidy up: `run` deletes its phones. Later signals do not cut that short.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => ended.abort(new Interrupted(128 + constants.signals[signal])));
for (const event of ['uncaughtException', 'unhandledRejection'] as const)
  process.on(event, (fault: unknown) => ended.abort(fault));
// The reader of a pipe has gone, as `head` does. This is the end of the call, and no failure to report.
process.stdout.on('error', () => ended.abort(new Interrupted(128 + constants.signals.SIGPIPE)));
process.stderr.on('error', () => ended.abort(new Interrupted(128 + constants.signals.SIGPIPE)));

const status = await runProgram(process.argv.slice(2), COMMANDS, version, {
  settings: readSettings(process.env, homedir()),
  terminal: openTerminal(process),
  wait: platformWait,
  nowMs: () => performance.now(),
  newId: randomUUID,
  signal: ended.signal,
});
// What is still open, such as kept connections, does not keep the program. Standard output is written first.
process.exitCode = status;
process.stdout.write('', () => process.exit(status));
