import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { installPacked, succeed } from '../../testing/packed-package.js';

describe('the MCP server, packed and installed in a program', function () {
  let folder: string;
  before(() => (folder = mkdtempSync(join(tmpdir(), 'cloudphone-mcp-'))));
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('is installed from its package alone, with nothing of this project from a registry, and starts', async () => {
    const { program } = await installPacked('mcp', folder, { built: true });
    const help = await succeed(join(program, 'node_modules', '.bin', 'cloudphone-mcp'), ['--help'], program);
    expect(help).to.include('cloudphone-mcp --http');
  });
});
