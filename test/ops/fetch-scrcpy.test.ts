import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const SCRIPT = fileURLToPath(new URL('../../../scripts/fetch-scrcpy.mjs', import.meta.url));

describe('npm run fetch-scrcpy', () => {
  let server: Server;
  let body: Buffer;
  const folder = mkdtempSync(join(tmpdir(), 'fetch-scrcpy-'));
  before(async () => {
    server = createServer((_request, response) => response.end(body)).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function run(): Promise<{ status: number; output: string }> {
    const from = `http://127.0.0.1:${(server.address() as AddressInfo).port}/server`;
    const child = spawn(process.execPath, [SCRIPT, from, folder]);
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const [status] = (await once(child, 'close')) as [number];
    return { status, output };
  }

  it('prints the address and the checksum of what it fetches, and keeps no other file', async () => {
    body = Buffer.from('another file');
    const { status, output } = await run();
    expect(status).to.equal(1);
    expect(output).to.match(/from +http:\/\/127\.0\.0\.1:/);
    expect(output).to.include(`SHA-256  ${createHash('sha256').update(body).digest('hex')}`);
    expect(output).to.include('its SHA-256 should be 7e70323ba7f259649dd4acce97ac4fefbae8102b2c6d91e2e7be613fd5354be0');
    expect(existsSync(join(folder, 'scrcpy-server-v3.3.3'))).to.equal(false);
  });

  it('stops at a response that is too large', async () => {
    body = Buffer.alloc(2_000_000);
    expect((await run()).output).to.include('more than 1000000 bytes');
  });
});
