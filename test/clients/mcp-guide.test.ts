import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { connectMcp } from '../../testing/mcp-client.js';
import { startWorld, type World } from '../world.js';
import { type McpEnvironment, openStdio, ROOT, toolResult } from './mcp-world.js';

/** A configuration of an agent host, as far as it is about this server. */
interface HostConfiguration {
  mcpServers?: Record<string, HostServer>;
  servers?: Record<string, HostServer>;
}

interface HostServer {
  command?: string;
  args?: string[];
  env?: McpEnvironment;
  url?: string;
  headers?: Record<string, string>;
}

describe('the guide to MCP', () => {
  let world: World;
  let url: string;
  before(async () => {
    world = await startWorld();
    url = `${world.mesh.url}/v1`;
    await world.api.createPhone({ name: 'handset' });
  });
  after(() => world.close());

  const guide = readFileSync(join(ROOT, 'docs', 'mcp.md'), 'utf8');
  const blocks = (language: string): string[] =>
    [...guide.matchAll(new RegExp(`^\`\`\`${language}(?: .*)?\\n([^]*?)^\`\`\`$`, 'gm'))].map(([, text]) => text!);
  const filledIn = (text: string): string =>
    text
      .replaceAll('http://127.0.0.1:8080/v1', url)
      .replaceAll('https://phones.example.com', world.mesh.url)
      .replaceAll(/cp_…|\$\{input:key\}/g, world.key);

  it('starts with the configurations of the hosts', async () => {
    const configurations = blocks('json').map((text) => JSON.parse(filledIn(text)) as HostConfiguration);
    const servers = configurations.flatMap(({ mcpServers, servers: own }) => Object.values(mcpServers ?? own ?? {}));
    expect(servers).to.have.length(4);
    expect(servers.slice(0, 2).map((one) => one.url)).to.deep.equal(Array(2).fill(`${world.mesh.url}/mcp`));
    for (const { command, args, env, url: address, headers } of servers) {
      if (command === undefined) {
        expect(headers).to.deep.equal({ Authorization: `Bearer ${world.key}` });
        if (address === 'http://127.0.0.1:3399/mcp') continue;
        expect(address).to.equal(`${world.mesh.url}/mcp`);
        const edge = await connectMcp(world.mesh.url, world.key);
        expect(toolResult(await edge.callTool({ name: 'list_devices', arguments: {} })).text).to.include('handset');
        await edge.close();
        continue;
      }
      expect([command, ...args!]).to.deep.equal(['node', '/opt/cloudphone/mcp/cloudphone-mcp.mjs']);
      const { client } = await openStdio(env!);
      const { text } = toolResult(await client.callTool({ name: 'list_devices', arguments: {} }));
      await client.close();
      expect(text).to.include('handset');
    }
  });

  it('has commands with the settings that the server reads, and every tool', async () => {
    const known = ['CLOUDPHONE_URL', 'CLOUDPHONE_KEY', 'CLOUDPHONE_DEVICE'];
    const commands = blocks('sh').join('');
    for (const [name] of commands.matchAll(/CLOUDPHONE_\w+/g)) expect(known).to.include(name);
    expect(commands)
      .to.match(/-- node \/opt\/cloudphone\/mcp\/cloudphone-mcp\.mjs$/m)
      .and.match(/^node mcp\/cloudphone-mcp\.mjs --http --port 3399$/m);
    const { client } = await openStdio({ CLOUDPHONE_URL: url, CLOUDPHONE_KEY: world.key });
    const { tools } = await client.listTools();
    await client.close();
    for (const { name } of tools) expect(guide).to.include(`\`${name}\``);
    expect(readFileSync(join(ROOT, 'mcp', 'README.md'), 'utf8')).to.include(`${tools.length} tools`);
  });
});
