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
