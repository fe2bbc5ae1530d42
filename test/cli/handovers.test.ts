import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { connectMcp } from '../../testing/mcp-client.js';
import { until } from '../../testing/until.js';
import { type PanelClient, signIn } from '../access/people.js';
import { toolResult } from '../clients/mcp-world.js';
import { startWorld, type World } from '../world.js';
import { callCli } from './call.js';
import { startCli } from './program.js';

const HANDOVERS = '/v1/devices/one/handovers';

describe('programs that ask a person', () => {
  let world: World;
  let owner: PanelClient;
  let home: string;
  let environment: Record<string, string>;

  before(async () => {
    world = await startWorld();
    owner = await signIn(world);
    home = mkdtempSync(join(tmpdir(), 'cloudphone-cli-handovers-'));
    const key = await owner.createKey({ name: 'agent' });
    environment = { HOME: home, PATH: process.env['PATH'] ?? '', CLOUDPHONE_URL: world.mesh.url, CLOUDPHONE_KEY: key };
    await world.api.createPhone({ name: 'one' });
  });
  after(async () => {
    await world.close();
    rmSync(home, { recursive: true, force: true });
  });

  const newest = async () => (await owner.ask('GET', HANDOVERS)).body.handovers[0];
  const asked = async (): Promise<string> => {
    await until(async () => (await newest())?.state === 'waiting');
    return (await newest()).id as string;
  };

  it('wait by the command line, which prints the link and the note', async () => {
    const called = callCli(['handover', 'one', '--reason', 'Type the code'], environment);
    await owner.ask('POST', `${HANDOVERS}/${await asked()}/finish`, { note: 'It is typed' });
    const { status, stdout, stderr } = await called;
    expect([status, stdout]).to.deep.equal([0, 'done  It is typed\n']);
    expect(stderr).to.match(/http\S+\/share#sh_\w+\n/);
  });

  it('fail by the command line where nobody gave the phone back', async () => {
    const called = callCli(['handover', 'one', '--reason', 'Type the code', '--json'], environment);
    await owner.ask('DELETE', `${HANDOVERS}/${await asked()}`);
    const { status, stdout, stderr } = await called;
    expect([status, JSON.parse(stdout).handover.state]).to.deep.equal([1, 'cancelled']);
    expect(stderr).to.contain('ended as cancelled');
    expect((await callCli(['handover', 'one'], environment)).status).to.equal(2);
  });

  it('cancel it when the program is ended', async () => {
    const program = startCli(['handover', 'one', '--reason', 'Type the code'], environment);
    await asked();
    program.child.kill('SIGINT');
    await program.ended;
    expect((await newest()).state).to.equal('cancelled');
  });

  it('wait by MCP, which returns the link, then the note and the screen', async () => {
    const client = await connectMcp(world.mesh.url, environment['CLOUDPHONE_KEY'] ?? '');
    const call = async (name: string, args: object) =>
      toolResult(await client.callTool({ name, arguments: { device: 'one', ...args } }));
    const first = call('ask_person', { reason: 'Type the code' });
    const id = await asked();
    await owner.ask('POST', `${HANDOVERS}/${id}/take`, {});
    const refused = await call('act', { steps: [{ key: 'home' }] });
    expect(refused.text).to.contain(`wait_for_person`).and.not.contain('/v1/');
    await owner.ask('POST', `${HANDOVERS}/${id}/finish`, { note: 'It is "typed"' });
    const { text } = await first;
    expect(text).to.contain('gave the phone back').and.to.contain('It is \\"typed\\"');
    expect(text).to.match(/com\.cloudphone\.\w+\/\S+\n(e\d+ \w+ .*\n)+/);
    const again = await call('wait_for_person', { id });
    expect(again.text).to.contain('gave the phone back');
    await client.close();
  });

  it('get the note by MCP also where the person turned the phone off', async () => {
    const client = await connectMcp(world.mesh.url, environment['CLOUDPHONE_KEY'] ?? '');
    const asking = client.callTool({ name: 'ask_person', arguments: { device: 'one', reason: 'Type the code' } });
    const id = await asked();
    await owner.ask('POST', '/v1/devices/one/stop', {});
    await until(async () => (await world.api.get('/v1/devices/one')).body.device.state === 'stopped');
    await owner.ask('POST', `${HANDOVERS}/${id}/finish`, { note: 'The code is 1234' });
    const { text, isError } = toolResult(await asking);
    expect(text).to.contain('The code is 1234').and.to.contain('could not be observed: busy').and.not.contain('/v1/');
    expect(isError).to.equal(false);
    await client.close();
  });
});
