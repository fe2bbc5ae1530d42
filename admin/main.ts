import { createClient } from '@connectrpc/connect';
import { systemClock } from '../kit/clock.js';
import { connectTo } from '../kit/rpc/transport.js';
import { AdminService } from '../proto/gen/cloudphone/access/v1/admin_service_pb.js';
import { RelayAdminService } from '../proto/gen/cloudphone/relay/v1/relay_admin_service_pb.js';
import { readAdminConfig, readDatabasePlace } from './config.js';
import { databaseCommands, runDatabaseCommand } from './run-database-command.js';
import { type Output, runCommand } from './run-command.js';
import { errorText } from './error-text.js';
import { showPlaces } from './show-places.js';
import { parseWords, type Words } from './words.js';

// The operator's command line. Results for programs and people are on standard output, errors on standard error.
// It ends by itself once that is written: the connection alone would keep it for a while.
try {
  const words = parseWords(process.argv.slice(2));
  if (typeof words === 'string') await write(words);
  else if (words.command === 'info')
    await print(words, showPlaces(readDatabasePlace(process.env).dataDirectory, process.stdout.isTTY));
  else await run(words);
} catch (error) {
  process.stderr.write(`${errorText(error instanceof Error ? error.message : String(error))}\n`, () => process.exit(1));
}

async function run(words: Words): Promise<void> {
  if (words.command in databaseCommands)
    await print(words, await runDatabaseCommand(words, readDatabasePlace(process.env)));
  const { deviceServiceUrl, relayServiceUrl, meshToken, tls } = readAdminConfig(process.env);
  const device = connectTo({ url: deviceServiceUrl, service: 'the device service', meshToken, tls });
  const relay = connectTo({ url: relayServiceUrl, service: 'the relay service', meshToken, tls });
  const services = { admin: createClient(AdminService, device), relays: createClient(RelayAdminService, relay) };
  await print(words, await runCommand({ ...services, readPassword, wait: (ms) => systemClock.sleep(ms) }, words));
}

function print(words: Words, { json, text }: Output): Promise<never> {
  return write(words.json ? `${json}\n` : text);
}

/** Ends the process once it is written. */
function write(text: string): Promise<never> {
  return new Promise(() => process.stdout.write(text, () => process.exit(0)));
}

/** The password's one line on standard input, so that it is in no process list. */
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
