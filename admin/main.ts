import { createClient } from '@connectrpc/connect';
import { systemClock } from '../kit/async/clock.js';
import { connectTo } from '../kit/rpc/transport.js';
import { AdminService } from '../proto/gen/cloudphone/access/v1/admin_service_pb.js';
import { RelayAdminService } from '../proto/gen/cloudphone/relay/v1/relay_admin_service_pb.js';
import { readAdminConfig, readDatabasePlace } from './config.js';
import { progressTo } from './backup/progress.js';
import { type DataPlace, databaseCommands, runDatabaseCommand } from './run-database-command.js';
import type { Output } from './output.js';
import { runCommand } from './run-command.js';
import { textOf } from './error-text.js';
import { showPlaces } from './show-places.js';
import { parseWords, type Words } from './words.js';

// The operator's command line. Results for programs and people are on standard output, errors on standard error. The process is ended once
// the output is written, as its connections would keep it alive for a while.
try {
  const words = parseWords(process.argv.slice(2));
  if (typeof words === 'string') await write(words);
  else if (words.command === 'info')
    await print(words, showPlaces(readDatabasePlace(process.env).dataDirectory, process.stdout.isTTY));
  else if (words.command === 'doctor') await runDoctor(words);
  else await run(words);
} catch (error) {
  process.stderr.write(`${textOf(error)}\n`, () => process.exit(1));
}

/** Prints what is wrong on this machine, with the status 1 where a check failed. It loads the code of all services. */
async function runDoctor(words: Words): Promise<void> {
  const { examine } = await import('../start/doctor/examine.js');
  const { failureOf, findingsJson, findingsText } = await import('../start/doctor/report.js');
  const { thisMachine } = await import('../start/doctor/machine.js');
  const findings = await examine(process.env, thisMachine);
  const failure = failureOf(findings);
  await print(words, {
    json: findingsJson(findings),
    text: findingsText(findings),
    ...(failure !== undefined && { failure }),
  });
}

async function run(words: Words): Promise<void> {
  if (words.command in databaseCommands) await print(words, await runDatabaseCommand(words, dataPlace()));
  const onLine = (line: string): void => void process.stderr.write(`${line}\n`);
  const services = { ...connectToServices(), readPassword, wait: (ms: number) => systemClock.sleep(ms), onLine };
  await print(words, await runCommand(services, words));
}

function connectToServices() {
  const { deviceServiceUrl, relayServiceUrl, meshToken, tls } = readAdminConfig(process.env);
  const device = connectTo({ url: deviceServiceUrl, service: 'the device service', meshToken, tls });
  const relay = connectTo({ url: relayServiceUrl, service: 'the relay service', meshToken, tls });
  return { admin: createClient(AdminService, device), relays: createClient(RelayAdminService, relay) };
}

function dataPlace(): DataPlace {
  const onProgress = progressTo(process.stderr, systemClock);
  return {
    ...readDatabasePlace(process.env),
    connect: () => connectToServices().admin,
    onProgress,
    clock: systemClock,
  };
}

function print(words: Words, { json, text, failure }: Output): Promise<never> {
  return write(words.json ? `${json}\n` : text, failure);
}

/** Writes the text, then ends the process: with status 1 after a failure, which is written to standard error. */
function write(text: string, failure?: string): Promise<never> {
  return new Promise(() =>
    process.stdout.write(text, () => {
      if (failure === undefined) process.exit(0);
      process.stderr.write(`${failure}\n`, () => process.exit(1));
    }),
  );
}

/** Reads the password from one line of standard input. An argument would be shown in lists of processes. */
async function readPassword(): Promise<string> {
  if (process.stdin.isTTY) process.stderr.write('Password: ');
  process.stdin.setEncoding('utf8');
  let text = '';
  for await (const chunk of process.stdin) {
    text += String(chunk);
    if (text.includes('\n')) break;
  }
  return text.replace(/\r?\n[^]*$/, '');
}
