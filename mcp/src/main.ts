import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { CloudPhone } from '../../client/src/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { type Config, HELP, readConfig } from './config.js';
import { ApiDocument } from './document.js';
import { listen } from './http.js';
import { OFFERS } from './offered.js';
import { createServer } from './server.js';
import { toolsOf } from './tools.js';

// Standard output belongs to the protocol; texts for people go to standard error. No key and no typed text is ever written.
const say = (line: string): void => void process.stderr.write(`cloudphone-mcp: ${line}\n`);

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
  const { tools, names } = toolsOf(OFFERS, new ApiDocument(), device);
  const serverFor = (ofKey: string): ReturnType<typeof createServer> => {
    const phone = new CloudPhone({ url, key: ofKey, userAgent: `cloudphone-mcp/${version}` });
    return createServer({ tools, names, phone, version, defaultDevice: device, newKey: randomUUID });
  };
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
