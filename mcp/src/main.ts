import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { CloudPhone } from '../../client/src/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { type Config, HELP, readConfig } from './config.js';
import { listen } from './http.js';
import { openServers } from './open-servers.js';
import type { McpServer } from './server.js';

// Standard output belongs to the protocol; texts for people go to standard error. No key and no typed text is ever written.
const say = (line: string): void => void process.stderr.write(`cloudphone-mcp: ${line}\n`);

// A fault in one request must not end the server for the others.
process.on('unhandledRejection', (reason) => say(`a failure was not handled: ${traceOf(reason)}`));

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

try {
  const config = readConfig(process.argv.slice(2), process.env);
  if (config === undefined) process.stdout.write(HELP);
  else await run(config);
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}

async function run({ url, key, device, http }: Config): Promise<void> {
  const onFault = (fault: unknown): void => say(`a call failed: ${traceOf(fault)}`);
  const open = openServers({ version, defaultDevice: device, newKey: randomUUID, onFault });
  const serverFor = (ofKey: string): McpServer =>
    open(new CloudPhone({ url, key: ofKey, userAgent: `cloudphone-mcp/${version}` }));
  if (http === undefined) {
    const server = serverFor(key ?? '');
    // The host closes standard input when it is done.
    process.stdin.once('end', () => void server.close());
    process.once('SIGTERM', () => process.exit(0));
    process.once('SIGINT', () => process.exit(0));
    await server.connect(new StdioServerTransport());
    return;
  }
  const listening = await listen(http, serverFor);
  say(`ready at ${listening.url}`);
  const stop = (): void => void listening.close().then(() => process.exit(0));
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}

function traceOf(reason: unknown): string {
  return reason instanceof Error ? (reason.stack ?? reason.message) : String(reason);
}
