import { createClient } from '@connectrpc/connect';
import { connectTo } from '../kit/rpc/transport.js';
import { AdminService } from '../proto/gen/cloudphone/access/v1/admin_service_pb.js';
import { RelayAdminService } from '../proto/gen/cloudphone/relay/v1/relay_admin_service_pb.js';
import { readAdminConfig } from './config.js';
import { runCommand } from './run-command.js';
import { parseWords } from './words.js';

// The operator's command line. What it prints for programs and people is on standard output; what went wrong on standard error.
// It ends by itself once that is written: the connection alone would keep it for a while.
try {
  const words = parseWords(process.argv.slice(2));
  const { deviceServiceUrl, relayServiceUrl, meshToken } = readAdminConfig(process.env);
  const device = connectTo({ url: deviceServiceUrl, service: 'the device service', meshToken });
  const relay = connectTo({ url: relayServiceUrl, service: 'the relay service', meshToken });
  const services = { admin: createClient(AdminService, device), relays: createClient(RelayAdminService, relay) };
  const { json, text } = await runCommand(services, words, readPassword);
  process.stdout.write(words.json ? `${json}\n` : text, () => process.exit(0));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`, () => process.exit(1));
}

/** The password's one line on standard input, so that it is in no process list. */
async function readPassword(): Promise<string> {
  if (process.stdin.isTTY) process.stderr.write('Password: ');
  let text = '';
  for await (const chunk of process.stdin) {
    text += String(chunk);
    if (text.includes('\n')) break;
  }
  return text.replace(/\r?\n[^]*$/, '');
}
