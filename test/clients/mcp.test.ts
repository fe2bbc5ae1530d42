import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect } from 'chai';
import { freePort } from '../../testing/free-port.js';
import { until } from '../../testing/until.js';
import { startWorld, type World } from '../world.js';
import { signIn } from '../access/people.js';
import { MCP_MAIN, openStdio, ROOT, type ToolResult, toolResult } from './mcp-world.js';

describe('the MCP server', function () {
  // Processes are started, on machines that do other things too.
  let world: World;
  let url: string;
  before(async () => {
    world = await startWorld();
    url = `${world.mesh.url}/v1`;
    await world.api.createPhone({ name: 'handset' });
  });
  after(() => world.close());

  describe('over standard input and output', () => {
    let client: Client;
    let said: () => string;
    before(async () => {
      const environment = { CLOUDPHONE_URL: url, CLOUDPHONE_KEY: world.key, CLOUDPHONE_DEVICE: 'handset' };
      ({ client, said } = await openStdio(environment));
    });
    after(() => client.close());

    const call = async (name: string, args: Record<string, unknown> = {}): Promise<ToolResult> =>
      toolResult(await client.callTool({ name, arguments: args }));

    it('describes the arguments of its tools and whether they change anything', async () => {
      const { tools } = await client.listTools();
      const tool = (name: string) => tools.find((one) => one.name === name)!;
      expect(tools).to.have.length.within(15, 29);
      expect(tool('observe').annotations).to.deep.equal({ readOnlyHint: true });
      expect(tool('delete_device').annotations).to.deep.equal({ readOnlyHint: false, destructiveHint: true });
      expect(tool('create_snapshot').annotations).to.deep.equal({ readOnlyHint: false, destructiveHint: false });
      // From the contract's comments and rules.
      expect(tool('get_logs').inputSchema.properties).to.have.nested.property('lines.maximum', 5000);
      expect(tool('act').inputSchema).to.have.nested.property('properties.steps.maxItems', 20);
      expect(tool('act').inputSchema.required).to.deep.equal(['steps']);
      expect(tool('stop_device').description).to.equal('Shuts a running phone down. It keeps its state.');
      expect(tool('install_app').inputSchema.properties).to.have.nested.property(
        'app.description',
        'One of list_catalogue, or my/<name> of the library.',
      );
      expect(tool('delete_device').inputSchema.required).to.deep.equal(['device']);
      expect(tool('recent_steps').description).to.include('timeline');
      for (const { name, description, inputSchema } of tools) {
        expect(description, name).to.match(/\S/);
        // Keywords that some hosts refuse, or do not follow.
        expect(JSON.stringify(inputSchema), name).not.to.match(/"(?:oneOf|anyOf|allOf)"|"\$ref":"(?!#\/\$defs\/)/);
        expect(inputSchema.properties, name).not.to.have.property('cursor');
      }
      expect(client.getInstructions()).to.include('observe');
    });

    it('shows the screen as text, and its picture on request', async () => {
      const { text, pictures } = await call('observe');
      expect(text).to.match(/^com\.cloudphone\.\w+\/\S+\n(e\d+ \w+ .*\n)+/);
      expect(pictures).to.deep.equal([]);
      const withPicture = await call('observe', { screenshot: 'jpeg', max_size: 256 });
      expect(withPicture.text).to.match(/^com\.cloudphone\.\w+\/\S+ 720x1280\n/);
      expect(withPicture.pictures[0]?.mimeType).to.equal('image/jpeg');
      expect(withPicture.pictures[0]?.data.subarray(0, 3).toString('hex')).to.equal('ffd8ff');
      const request = { steps: [{ wait: {} }], observe: 'full' };
      expect((await call('act', request)).pictures).to.have.length(1);
      const same = await call('act', request);
      expect(same.pictures).to.deep.equal([]);
      expect(same.text).to.include('(picture as before)');
      expect((await call('screenshot', { format: 'png' })).pictures[0]?.data.subarray(1, 4).toString()).to.equal('PNG');
    });

    it('writes a note in two calls, and shows only the changes', async () => {
      expect((await call('open_app', { app: 'Notes' })).text).to.include('button "New note"');
      const steps = [
        { tap: { text: 'New note' } },
        { type: { text: 'Oat milk', target: { text: 'Title' } } },
        { tap: { text: 'Save' }, expect: { text: 'Oat milk' } },
      ];
      const { text, isError } = await call('act', { steps, timeout_ms: 60_000 });
      expect(isError, text).to.equal(false);
      // On a machine so busy that the screen does not rest for 2 s, an act ends once its expectation is met, and says so.
      expect(text)
        .to.match(/^Done(, the screen is not still yet)?\.\n/)
        .and.include('Oat milk');
      // The app may still be writing.
      await until(async () => /New note[^]*Oat milk|Oat milk[^]*New note/.test((await call('observe')).text));
      // Once the app has written and its toast is gone.
      await until(async () => (await call('observe', { elements: 'changed' })).text === 'No element changed.');
    });

    it('returns a failed step as an error, with the done steps and what to do next', async () => {
      const steps = [{ open_app: { app: 'Settings' } }, { tap: { text: 'Nowhere' } }];
      const failed = await call('act', { steps });
      expect(failed.isError).to.equal(true);
      expect(failed.text)
        .to.match(/^Step 1 \(from 0\) failed with not_found: /)
        .and.include('1 step done')
        .and.include('"Display');
      const alone = await call('act', { tap: 'Nowhere', wait_s: 0 });
      expect(alone.isError).to.equal(true);
      expect(alone.text)
        .to.match(/^Step 0 \(from 0\) failed with not_found: \S+tap: no element .*e\d+ /)
        .and.include('0 steps done')
        // The screen is the one that the model has seen.
        .and.include('No element changed.');
      expect((await call('open_app', { app: 'Setting' })).text).to.match(
        /not_found: .*Similar are: "Settings" \(com\./,
      );
      expect(await call('start_device')).to.deep.include({ isError: true });
      expect((await call('start_device')).text).to.match(/^busy: .*restart_device/);
      expect((await call('observe', { device: 'none' })).text).to.match(/^not_found: .*list_devices/);
      expect((await call('observe', { max_size: 3 })).text).to.match(/^bad_request: .*max_size/);
      expect((await call('observe', { colour: 'red' })).text).to.match(
        /^observe has no argument "colour"\. It takes device, .* Example: \{"screenshot":"jpeg"\}$/,
      );
      expect((await call('act', { steps: [{ key: 'nokey' }] })).text).to.match(
        /^bad_request: .*nokey.* Example: \{"steps"/,
      );
      expect((await call('uninstall_app')).text).to.equal(
        'The argument "package" is missing. Example: {"package":"com.example.notes"}',
      );
      expect((await call('delete_device')).text).to.match(/^The argument "device" is missing\./);
    });

    it('says that the timeline is off, and shows it where it is on', async () => {
      expect((await call('recent_steps')).text).to.match(/^The timeline of handset is off/);
      await world.api.ask('PATCH', '/v1/devices/handset', { timeline: true });
      await call('act', { key: 'home' });
      await until(async () => (await call('recent_steps')).text.includes('home'));
    });

    it('waits for jobs, reports their progress, and returns the device that they made', async () => {
      const made = await call('create_snapshot', { label: 'before' });
      expect(made.text).to.match(/^snapshot of handset: done\.\nsnapshot "snap_\w+"/);
      const [id] = /snap_\w+/.exec(made.text)!;
      expect((await call('list_snapshots')).text).to.include(id);
      const seen: number[] = [];
      const onprogress = ({ progress }: { progress: number }): void => void seen.push(progress);
      const restarted = await client.callTool({ name: 'restart_device', arguments: {} }, undefined, { onprogress });
      expect(toolResult(restarted).text).to.equal('restart of handset: done.');
      expect(seen).to.have.length.greaterThan(0);
      const cloned = await call('clone_snapshot', { device: 'handset', id, name: 'copy' });
      expect(cloned.text).to.match(/^clone of copy: done\.\ndevice "copy"/);
      expect((await call('delete_device', { device: 'copy' })).text).to.equal('delete of copy: done.');
      expect((await call('get_logs', { lines: 2 })).text.trimEnd().split('\n').length).to.be.within(1, 3);
    });

    it('refuses a tool that it does not have, with those that it has', async () => {
      const error: unknown = await client.callTool({ name: 'reboot' }).catch((reason: unknown) => reason);
      expect(String(error)).to.include('There is no tool "reboot"').and.include('restart_device');
    });

    it('writes no key anywhere, and ends with its input', async () => {
      const { tools } = await client.listTools();
      expect(JSON.stringify(tools) + said()).not.to.include(world.key);
      await client.close();
      expect(said()).to.equal('');
    });
  });

  it('names missing settings on standard error, and ends', async () => {
    for (const [environment, text] of [
      [{}, 'CLOUDPHONE_KEY is not set'],
      [{ CLOUDPHONE_KEY: 'cp_x' }, 'CLOUDPHONE_URL is not set'],
      [{ CLOUDPHONE_KEY: 'cp_x', CLOUDPHONE_URL: 'http://host' }, 'with /v1'],
    ] as const) {
      const { status, stdout, stderr } = await run([MCP_MAIN], environment);
      expect({ status, stdout }).to.deep.equal({ status: 1, stdout: '' });
      expect(stderr).to.include(text).and.not.include('cp_x');
    }
    expect((await run([MCP_MAIN, '--help'], {})).stdout).to.include('CLOUDPHONE_DEVICE');
  });

  it('explains how to reach a service that is away, and the fault of a key', async () => {
    const nowhere = `http://127.0.0.1:${await freePort()}`;
    const away = await openStdio({ CLOUDPHONE_URL: `${nowhere}/v1`, CLOUDPHONE_KEY: 'cp_wrong' });
    const wrong = await openStdio({ CLOUDPHONE_URL: url, CLOUDPHONE_KEY: 'cp_wrong' });
    try {
      const one = toolResult(await wrong.client.callTool({ name: 'list_devices', arguments: {} }));
      expect(one.isError).to.equal(true);
      expect(one.text).to.match(/^unauthorized: /);
      const other = toolResult(await away.client.callTool({ name: 'stop_device', arguments: { device: 'x' } }));
      expect(other.text).to.include(`unreachable: ${nowhere} cannot be reached: ECONNREFUSED`);
      // Without a default device, each call names one.
      expect(toolResult(await away.client.callTool({ name: 'observe', arguments: {} })).text).to.equal(
        'The argument "device" is missing. list_devices shows the devices. Example: {"device":"demo","screenshot":"jpeg"}',
      );
    } finally {
      await away.client.close();
      await wrong.client.close();
    }
  });

  it('works with the command line of the MCP inspector', async () => {
    const inspector = createRequire(import.meta.url).resolve('@modelcontextprotocol/inspector-cli/build/index.js');
    const environment = { CLOUDPHONE_URL: url, CLOUDPHONE_KEY: world.key, CLOUDPHONE_DEVICE: 'handset' };
    // It searches for its own package.json from its working directory.
    const cwd = dirname(inspector);
    const ask = async (...words: string[]): Promise<{ tools?: { name: string }[] }> => {
      const { status, stdout, stderr } = await run([inspector, process.execPath, MCP_MAIN, ...words], environment, cwd);
      expect(status, stderr).to.equal(0);
      return JSON.parse(stdout) as { tools?: { name: string }[] };
    };
    const { tools = [] } = await ask('--method', 'tools/list');
    expect(tools.map(({ name }) => name)).to.include.members(['observe', 'act', 'list_devices']);
    const result = await ask('--method', 'tools/call', '--tool-name', 'open_app', '--tool-arg', 'app=Settings');
    expect(toolResult(result).text).to.include('com.cloudphone.settings');
  });

  describe('over HTTP', () => {
    let server: ChildProcess;
    let address: string;
    let said = '';
    before(async () => {
      const environment = { ...process.env, CLOUDPHONE_URL: url, CLOUDPHONE_DEVICE: 'handset' };
      const words = [MCP_MAIN, '--http', '--port', '0', '--allow-origin', 'https://agents.example.com'];
      server = spawn(process.execPath, words, { env: environment, stdio: ['ignore', 'ignore', 'pipe'] });
      server.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
      await until(() => said.includes('ready at'));
      address = /ready at (\S+)/.exec(said)![1]!;
    });
    after(async () => {
      const gone = once(server, 'exit');
      server.kill('SIGTERM');
      expect(await gone).to.deep.equal([0, null]);
    });

    async function openHttp(key: string): Promise<Client> {
      const client = new Client({ name: 'test', version: '1.0.0' });
      const requestInit = { headers: { authorization: `Bearer ${key}` } };
      await client.connect(new StreamableHTTPClientTransport(new URL(address), { requestInit }));
      return client;
    }

    it('serves each client with its own key', async () => {
      const panel = await signIn(world);
      const reader = await panel.createKey({ scope: 'read', devices: ['handset'] });
      const [one, other] = await Promise.all([openHttp(world.key), openHttp(reader)]);
      const devices = { name: 'list_devices', arguments: {} };
      expect(toolResult(await one.callTool(devices)).text).to.include('handset');
      const [acted, refused] = await Promise.all(
        [one, other].map((client) => client.callTool({ name: 'open_app', arguments: { app: 'Notes' } })),
      );
      expect(toolResult(acted).isError).to.equal(false);
      expect(toolResult(refused).text).to.match(/^forbidden: .*control/);
      const seen: number[] = [];
      const onprogress = ({ progress }: { progress: number }): void => void seen.push(progress);
      await one.callTool({ name: 'restart_device', arguments: {} }, undefined, { onprogress });
      expect(seen).to.have.length.greaterThan(0);
      await Promise.all([one.close(), other.close()]);
      expect(said).not.to.include(world.key).and.not.include(reader);
    });

    /** Sends a request as anyone can write it, with any Host. */
    async function post(
      headers: Record<string, string>,
      options: { method?: string; path?: string; body?: string } = {},
    ) {
      const body = options.body ?? JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
      const all = {
        ...{ authorization: `Bearer ${world.key}`, 'content-type': 'application/json' },
        ...{ accept: 'application/json, text/event-stream', ...headers },
      };
      const { port } = new URL(address);
      const to = {
        host: '127.0.0.1',
        port,
        path: options.path ?? '/mcp',
        method: options.method ?? 'POST',
        headers: all,
      };
      const sent = request(to);
      sent.on('error', () => undefined);
      sent.end(to.method === 'GET' ? undefined : body);
      const [response] = (await once(sent, 'response')) as [NodeJS.ReadableStream & { statusCode: number }];
      response.resume();
      return response.statusCode;
    }

    it('refuses requests that a foreign page can make a browser send', async () => {
      expect(await post({})).to.equal(200);
      expect(await post({ host: 'rebound.example:3399' })).to.equal(403);
      expect(await post({ host: '127.0.0.1.evil.example' })).to.equal(403);
      expect(await post({ host: 'LOCALHOST' })).to.equal(200);
      expect(await post({ origin: 'https://evil.example' })).to.equal(403);
      expect(await post({ origin: 'null' })).to.equal(403);
      expect(await post({ origin: 'http://localhost' })).to.equal(403);
      expect(await post({ origin: 'https://agents.example.com' })).to.equal(200);
    });

    it('refuses requests without a key, other paths and methods, and large bodies', async () => {
      expect(await post({ authorization: '' })).to.equal(401);
      expect(await post({ authorization: 'Basic YTpi' })).to.equal(401);
      expect(await post({}, { path: '/' })).to.equal(404);
      for (const method of ['GET', 'DELETE', 'PUT']) expect(await post({}, { method }), method).to.equal(405);
      expect(await post({}, { body: ' '.repeat(1024 * 1024 + 1) })).to.equal(413);
      expect(await post({}, { body: '{"jsonrpc":' })).to.equal(400);
    });
  });

  it('starts by npx in the folder of this project', async () => {
    const { stdout, stderr } = await run(['--no', '--', 'cloudphone-mcp', '--help'], {}, ROOT, 'npx');
    expect(stdout, stderr).to.include('cloudphone-mcp --http');
  });

  function run(
    words: readonly string[],
    environment: NodeJS.ProcessEnv,
    cwd?: string,
    program: string = process.execPath,
  ): Promise<{ status: number; stdout: string; stderr: string }> {
    const { PATH = '', HOME = '' } = process.env;
    return new Promise((resolve) => {
      const options = { cwd, env: { PATH, HOME, ...environment }, maxBuffer: 16 * 1024 * 1024 };
      execFile(program, [...words], options, (error, stdout, stderr) => {
        resolve({ status: error === null ? 0 : 1, stdout, stderr });
      });
    });
  }
});
