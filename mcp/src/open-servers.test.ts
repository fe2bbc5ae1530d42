import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { expect } from 'chai';
import { CloudPhone } from '../../client/src/index.js';
import { openServers } from './open-servers.js';

describe('servers of MCP', () => {
  const faults: unknown[] = [];
  const open = openServers({
    version: '1.2.3',
    defaultDevice: undefined,
    newKey: () => 'key',
    onFault: (fault) => faults.push(fault),
  });
  const connect = async (fetch: () => Promise<Response>, isReadOnly = false): Promise<Client> => {
    const phone = new CloudPhone({ url: 'http://localhost/v1', key: 'cp_a', attempts: 1, fetch });
    const [inner, outer] = InMemoryTransport.createLinkedPair();
    await open(phone, { isReadOnly }).connect(inner);
    const client = new Client({ name: 'test', version: '1.0.0' });
    await client.connect(outer);
    return client;
  };

  it('show no client the text of a fault of their own', async () => {
    const client = await connect(
      async () => new Response('{"devices":', { headers: { 'content-type': 'application/json' } }),
    );
    const failed: unknown = await client
      .callTool({ name: 'list_devices', arguments: {} })
      .catch((error: unknown) => error);
    expect(String(failed)).to.include('Something went wrong in the MCP server.').and.not.include('JSON');
    expect(faults).to.have.length(1);
    expect(faults[0]).to.be.instanceOf(SyntaxError);
    await client.close();
  });

  describe('after a call whose end is not known', () => {
    const SEEN = 'It may have been done: observe before you repeat it.';
    const LOOKED = 'It may have been done: see whether it was before you repeat it.';
    const refusal = (error: string, status: number) => async () => Response.json({ error, message: 'No.' }, { status });
    const lost = async (): Promise<never> => {
      throw new TypeError('fetch failed');
    };
    const cut = async () => new Response('{"job":', { headers: { 'content-type': 'application/json' } });

    async function answerTo(name: string, fetch: () => Promise<Response>): Promise<string> {
      const client = await connect(fetch);
      const args = name === 'act' ? { device: 'demo', tap: 'Save' } : { device: 'demo' };
      const answer: unknown = await client.callTool({ name, arguments: args }).catch((error: unknown) => error);
      await client.close();
      return answer instanceof Error ? answer.message : JSON.stringify(answer);
    }

    it('warn before the call is repeated, if it changes something', async () => {
      for (const fetch of [lost, refusal('timeout', 504), refusal('internal', 500), cut]) {
        expect(await answerTo('act', fetch)).to.include(SEEN);
        expect(await answerTo('restart_device', fetch))
          .to.include(LOOKED)
          .and.not.include('Try again');
        expect(await answerTo('observe', fetch)).not.to.include('may have been done');
      }
    });

    it('do not warn where the reason says that nothing was done', async () => {
      for (const fetch of [refusal('busy', 409), refusal('bad_request', 400), refusal('unavailable', 503)])
        expect(await answerTo('act', fetch)).not.to.include('may have been done');
    });

    it('name the job of a call that was accepted', async () => {
      const job = { id: 'job_1', kind: 'restart', state: 'running', device: 'demo', progress: 10, created_at: '' };
      for (const fetch of [lost, refusal('unavailable', 503)]) {
        const turns = [async () => Response.json({ job }, { status: 202 }), fetch];
        expect(await answerTo('restart_device', () => turns.shift()!()))
          .to.include('still running')
          .and.include('job_1');
      }
    });
  });

  it('list the tools that a read-only key may use, and call any', async () => {
    const client = await connect(
      async () => Response.json({ error: 'forbidden', message: 'No.' }, { status: 403 }),
      true,
    );
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name))
      .to.include('observe')
      .and.not.include('act');
    const { content } = await client.callTool({ name: 'start_device', arguments: { device: 'demo' } });
    expect(content).to.deep.equal([{ type: 'text', text: 'forbidden: No.' }]);
    await client.close();
  });
});
