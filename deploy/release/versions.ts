import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A version as releases have it. Versions with a suffix have no order here, and npm, Python and Helm write them differently. */
const VERSION = /^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)$/;

/** A text file that holds the version of the product. */
interface Place {
  readonly file: string;
  /** Matches each version in the file by the text around it. The match is the version alone. */
  readonly pattern: RegExp;
}

/** One version in a file. */
export interface Found {
  file: string;
  version: string;
}

const IN_PACKAGE = /(?<=^ {2}"version": ")[^"]+/gm;
/** Matches the version in names of packed files in guides. */
const IN_GUIDE = /(?<=\bcloudphone-(?:cli-|client-|mcp-)?)\d+\.\d+\.\d+(?=\.tgz|-py3)/g;

/** Reads the version that the repository has in its own `package.json`. */
export function productVersion(root: string): string {
  return (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }).version;
}

/**
 * Returns the version in each place that has it. Throws for a file that has none: the form of the file has changed, and `placesOf` has to
 * follow.
 */
export function findVersions(root: string): Found[] {
  return placesOf(root).flatMap(({ file, pattern }) => {
    const versions = readFileSync(join(root, file), 'utf8').match(pattern) ?? [];
    if (versions.length === 0)
      throw new Error(`${file} has no version of the product at the place where one is expected.`);
    return versions.map((version) => ({ file, version }));
  });
}

/** Writes the version in all of its places. Returns the files. */
export function writeVersions(root: string, version: string): string[] {
  if (!VERSION.test(version))
    throw new Error(`"${version}" is not a version: three numbers with points, such as 0.2.0.`);
  findVersions(root);
  return placesOf(root).map(({ file, pattern }) => {
    const path = join(root, file);
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(pattern, version));
    return file;
  });
}

/** Whether the first version comes before the second. */
export function isBefore(first: string, second: string): boolean {
  const [one, other] = [first, second].map((version) => version.split('.').map(Number)) as [number[], number[]];
  const at = one.findIndex((part, index) => part !== other[index]);
  return at !== -1 && (one[at] ?? 0) < (other[at] ?? 0);
}

function placesOf(root: string): Place[] {
  const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { workspaces: string[] };
  const names = workspaces.join('|');
  return [
    ...['.', ...workspaces].map((folder) => ({ file: join(folder, 'package.json'), pattern: IN_PACKAGE })),
    // Matches the versions of the product and its workspaces, and not those of the packages that they use.
    {
      file: 'package-lock.json',
      pattern: new RegExp(
        `(?<=^ {2}"version": "|^ {4}"(?:${names})?": \\{\\n {6}"name": "[^"]+",\\n {6}"version": ")[^"]+`,
        'gm',
      ),
    },
    { file: 'clients/python/pyproject.toml', pattern: /(?<=^version = ")[^"]+/gm },
    { file: 'deploy/helm/cloudphone/Chart.yaml', pattern: /(?<=^(?:version|appVersion): ).+$/gm },
    ...['cli/README.md', 'client/README.md', 'docs/ci.md', 'docs/cli.md', 'docs/mcp.md', 'docs/python.md'].map(
      (file) => ({
        file,
        pattern: IN_GUIDE,
      }),
    ),
  ];
}
