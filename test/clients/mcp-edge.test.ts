import { request } from 'node:http';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { expect } from 'chai';
import { connectMcp, rpc } from '../../testing/mcp-client.js';
import { until } from '../../testing/until.js';
import { signIn } from '../access/people.js';
import { startWorld, type World } from '../world.js';
import { type ToolResult, toolResult } from './mcp-world.js';

describe('MCP at the edge', () => {
  let world: World;
  before(async () => {
    world = await startWorld();
    await world.api.createPhone({ name: 'handset' });
  });
  after(() => world.close());

  it('does with a phone what the key may do', async () => {
    const panel = await signIn(world);
    const reader = await panel.createKey({ scope: 'read', devices: ['handset'] });
    const [one, other] = await Promise.all([world.key, reader].map((key) => connectMcp(world.mesh.url, key)));
    const call = async (client: Client, name: string, args: Record<string, unknown> = {}): Promise<ToolResult> =>
      toolResult(await client.callTool({ name, arguments: { device: 'handset', ...args } }));
    const acted = await call(one!, 'open_app', { app: 'Settings' });
    expect(acted.isError, acted.text).to.equal(false);
    expect(acted.text).to.include('com.cloudphone.settings');
    const seen = await call(other!, 'observe', { screenshot: 'jpeg', max_size: 256 });
    expect(seen.text).to.match(/^com\.cloudphone\.settings\S* 720x1280\n(e\d+ \w+ .*\n)+/);
    expect(seen.pictures[0]?.data.subarray(0, 3).toString('hex')).to.equal('ffd8ff');
    expect((await call(other!, 'act', { key: 'home' })).text).to.match(/^forbidden: .*control/);
    const reported: number[] = [];
    const onprogress = ({ progress }: { progress: number }): void => void reported.push(progress);
    const restart = { name: 'restart_device', arguments: { device: 'handset' } };
    expect(toolResult(await one!.callTool(restart, undefined, { onprogress })).text).to.equal(
      'restart of handset: done.',
    );
    expect(reported).to.have.length.greaterThan(0);
    await Promise.all([one!.close(), other!.close()]);
  });

  it('takes the phone back from a person for whom the client no longer waits', async () => {
    const handovers = '/v1/devices/handset/handovers';
    const newest = async () => (await world.api.get(handovers)).body.handovers[0];
    const args = { device: 'handset', reason: 'Type the code' };
    for (const more of [{}, { _meta: { progressToken: 1 } }]) {
      const body = rpc('tools/call', { name: 'ask_person', arguments: args, ...more });
      const headers = { authorization: `Bearer ${world.key}`, 'content-type': 'application/json', accept: '*/*' };
      const asking = request(`${world.mesh.url}/mcp`, { method: 'POST', headers, agent: false });
      asking.on('error', () => undefined).end(body);
      await until(async () => (await newest())?.state === 'waiting');
      asking.destroy();
      await until(async () => (await newest())?.state === 'cancelled');
    }
  });

  it('refuses a key that was revoked', async () => {
    const panel = await signIn(world);
    const key = await panel.createKey({ scope: 'control', devices: ['*'] });
    const client = await connectMcp(world.mesh.url, key);
    await client.listTools();
    const { body } = await panel.ask('GET', '/v1/keys');
    const [id] = body.keys.flatMap((one: { id: string; prefix: string }) =>
      key.startsWith(one.prefix) ? [one.id] : [],
    );
    expect((await panel.ask('DELETE', `/v1/keys/${id}`)).status).to.equal(204);
    const refused: unknown = await client.listTools().catch((error: unknown) => error);
    expect(String(refused)).to.include('No valid API key');
    await client.close();
  });
});
