import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from './mcp-world.js';

/** Programs that fetch a package by its name, with their options up to the first name. */
const FETCHES =
  /\b(?:npx|bunx|pnpx|pnpm dlx|yarn dlx|npm (?:i|install|add|exec|x|init|create)|pnpm (?:i|install|add)|yarn (?:add|create)|bun (?:i|install|add)|pipx? install|pipx run|uvx|uv (?:pip install|add|tool install|tool run)|python3? -m pip install)\b([^\n`|;&]*)/g;

/** The same, as the words of a configuration of an agent host. */
const CONFIGURED = /"command": *"(?:npx|bunx|uvx|pipx)"[^\]]*"args": *\[([^\]]*)\]/g;

/** Commands that pull an image by its name where the engine does not have it, with their words. */
const PULLS = /\b(?:docker|podman|nerdctl) (?:container |image )?(?:run|create|pull)\b((?:\\\n|[^\n`|;&])*)/g;

interface Manifest {
  name: string;
  bin?: Record<string, string>;
  workspaces?: string[];
}

/** Names of this project's packages and commands. None of them is owned in a public registry. */
function ownNames(): string[] {
  const manifestOf = (folder: string): Manifest =>
    JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as Manifest;
  const manifests = ['.', ...(manifestOf('.').workspaces ?? [])].map(manifestOf);
  return [...new Set(manifests.flatMap(({ name, bin = {} }) => [name, ...Object.keys(bin)]))];
}

/** The commands of a text that have a package of ours fetched by its name. */
function fetchesIn(text: string, names: readonly string[]): string[] {
  const found = [...text.matchAll(FETCHES), ...text.matchAll(CONFIGURED)];
  const isOurs = (word: string): boolean =>
    names.some((name) => word === name || word.startsWith(`${name}@`)) ||
    /^(?:@cloudphone\/|cloudphone)[\w-]*(?:@.*)?$/.test(word);
  return found
    .filter(([, rest = '']) => {
      // With a path or a file for the package, the words after it are a command.
      if (/--package[= ](?:\.|\/|file:)/.test(rest)) return false;
      return rest.split(/[\s",]+/).some(isOurs);
    })
    .map(([command]) => command);
}

/** The commands of a text that have an image of ours pulled from a public registry. There `cloudphone` alone is Docker's to give. */
function pullsIn(text: string): string[] {
  return [...text.matchAll(PULLS)]
    .filter(([, rest = '']) => rest.split(/\s+/).some((word) => /^(?:docker\.io\/)?cloudphone\//.test(word)))
    .map(([command]) => command);
}

describe('commands in guides and texts', () => {
  it('fetch no package and no image of this project by its name, which a stranger could register', () => {
    const files = execFileSync(
      'git',
      [
        'ls-files',
        '-z',
        '--',
        '*.md',
        '*.html',
        '*.ts',
        '*.tsx',
        '*.mjs',
        '*.js',
        '*.proto',
        '*.json',
        '*.sh',
        '*.py',
        '*.go',
        '*.yaml',
      ],
      { cwd: ROOT, encoding: 'utf8' },
    )
      .split('\0')
      .filter((file) => file !== '' && !/(?:\.test\.tsx?|package-lock\.json)$/.test(file));
    expect(files).to.include.members(['README.md', 'docs/mcp.md', 'client/README.md', 'mcp/README.md']);
    const names = ownNames();
    expect(names).to.include.members(['cloudphone-mcp', '@cloudphone/client', '@cloudphone/mcp']);
    const faults = files.flatMap((file) => {
      const text = readFileSync(join(ROOT, file), 'utf8');
      return [...fetchesIn(text, names), ...pullsIn(text)].map((command) => `${file}: ${command}`);
    });
    expect(faults).to.deep.equal([]);
  });

  it('are recognized in all their forms', () => {
    for (const text of [
      'npx -y cloudphone-mcp',
      'npx cloudphone-mcp --http',
      'npm i @cloudphone/client',
      'npm install --global @cloudphone/mcp@latest',
      'npx --package=@cloudphone/mcp cloudphone-mcp',
      'pip install cloudphone',
      'uvx cloudphone-mcp',
      '"command": "npx",\n  "args": ["-y", "cloudphone-mcp"]',
    ])
      expect(fetchesIn(text, ownNames()), text).to.have.length(1);
    for (const text of [
      'npx --package=./cloudphone-mcp-0.1.0.tgz cloudphone-mcp',
      'npm install ./cloudphone-client-0.1.0.tgz',
      'node mcp/cloudphone-mcp.mjs',
      'npx vite panel',
    ])
      expect(fetchesIn(text, ownNames()), text).to.have.length(0);
    for (const text of [
      'docker run -d --name phone -v phone:/data cloudphone/simulated-phone androidboot.serialno=A1B2',
      'podman run --rm \\\n  cloudphone/simulated-phone:0.1.0',
      'docker image pull docker.io/cloudphone/service',
    ])
      expect(pullsIn(text), text).to.have.length(1);
    for (const text of [
      'docker run -d localhost/cloudphone/simulated-phone',
      'docker run --volume cloudphone_device:/data:ro debian:bookworm-slim tar -C /data .',
      'docker compose -f deploy/compose.yaml run --rm admin account list',
    ])
      expect(pullsIn(text), text).to.have.length(0);
  });
});
