import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Release, SkippedPart } from './part.js';
import { ProgramFailed, runProgram } from './run-program.js';
import { withService } from './trial-service.js';

const USES_CLIENT = `import { CloudPhone } from '@cloudphone/client';
const [url, key] = process.argv.slice(2);
const { models } = await new CloudPhone({ url, key }).get('/v1/models');
console.log(models.length);
`;

/** Packs the compiled TypeScript client, installs it alone into a new folder, and calls a service with it. */
export function releaseClient(release: Release): Promise<string> {
  return inProgram(release, 'client', async (folder) => {
    writeFileSync(join(folder, 'program.js'), USES_CLIENT);
    const models = await withService(release.root, ({ url, key }) =>
      runProgram(process.execPath, ['program.js', url, key], { cwd: folder }),
    );
    if (!(Number(models) > 0)) throw new Error(`The client got no models: ${models}`);
    return 'installed, and called a service';
  });
}

/** Packs the built command line, installs it alone into a new folder, and lists models with it. */
export function releaseCli(release: Release): Promise<string> {
  return inProgram(release, 'cli', async (folder) => {
    const program = join(folder, 'node_modules/.bin/cloudphone');
    const version = (await runProgram(program, ['--version'], { cwd: folder })).trim();
    if (version !== release.version) throw new Error(`The command line is of another version: ${version}`);
    const printed = await withService(release.root, ({ url, key }) => {
      const settings = [`CLOUDPHONE_URL=${url}`, `CLOUDPHONE_KEY=${key}`];
      return runProgram('env', [...settings, program, 'models', '--json'], { cwd: folder });
    });
    const { models } = JSON.parse(printed) as { models: unknown[] };
    if (models.length === 0) throw new Error('The command line got no models.');
    return 'installed, and called a service';
  });
}

/** Packs the compiled MCP server, installs it alone into a new folder, and lists its tools over the protocol. */
export function releaseMcp(release: Release): Promise<string> {
  return inProgram(release, 'mcp', async (folder) => {
    const client = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'release', version: release.version },
    };
    const messages = [
      { id: 1, method: 'initialize', params: client },
      { method: 'notifications/initialized' },
      { id: 2, method: 'tools/list', params: {} },
    ];
    const input = messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join('');
    const printed = await withService(release.root, ({ url, key }) => {
      const settings = [`CLOUDPHONE_URL=${url}`, `CLOUDPHONE_KEY=${key}`];
      return runProgram('env', [...settings, join(folder, 'node_modules/.bin/cloudphone-mcp')], { cwd: folder, input });
    });
    const [greeting, list] = printed
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as McpResponse);
    if (greeting?.result.serverInfo?.version !== release.version)
      throw new Error(`The MCP server is of another version: ${printed.slice(0, 500)}`);
    const { length } = list?.result.tools ?? [];
    if (length === 0) throw new Error('The MCP server has no tools.');
    return `installed, with ${length} tools`;
  });
}

interface McpResponse {
  result: { serverInfo?: { version: string }; tools?: unknown[] };
}

async function inProgram(
  { root, output, version }: Release,
  workspace: string,
  use: (folder: string) => Promise<string>,
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), `cloudphone-${workspace}-`));
  try {
    await runProgram('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', output], {
      cwd: join(root, workspace),
    });
    const tarball = join(output, `cloudphone-${workspace}-${version}.tgz`);
    if (!existsSync(tarball))
      throw new Error(`${tarball} was not packed: ${workspace}/package.json is of another version than the release.`);
    writeFileSync(join(folder, 'package.json'), '{"type": "module", "private": true}');
    const quiet = ['--no-audit', '--no-fund', '--prefer-offline', '--ignore-scripts'];
    await runProgram('npm', ['install', ...quiet, tarball], { cwd: folder }).catch((error: unknown) => {
      if (error instanceof ProgramFailed && error.hadNoNetwork)
        throw new SkippedPart("npm's registry, which has the packages to install, cannot be reached");
      throw error;
    });
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
