import { readFileSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path/posix';
import { fileURLToPath } from 'node:url';
import { GUIDES } from './address.js';
import { codeBlock } from './code-block.js';
import type { Entry, Group, Page } from './frame.js';
import { markup } from './html.js';
import { type Links, plainText, renderMarkdown } from './markdown.js';

/** The repository: beside the sources, of which dist/ has compiled files only. */
const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** Files that are pages, beside those in docs/. */
const ALSO = ['README.md', 'client/README.md'];

/** The guides for callers, in the order of the sidebar. */
const FOR_CALLERS = [
  ...['docs/first-phone.md', 'docs/agent-loop.md', 'docs/mcp.md', 'client/README.md', 'docs/python.md'],
  ...['docs/generated-clients.md', 'docs/live.md', 'docs/apps.md', 'docs/files.md', 'docs/snapshots.md'],
  ...['docs/groups.md', 'docs/network.md', 'docs/conditions.md', 'docs/timeline.md', 'docs/shares.md', 'docs/adb.md'],
  'docs/appium.md',
  ...['docs/events.md', 'docs/webhooks.md', 'docs/topups.md', 'docs/errors-and-limits.md', 'docs/grpc.md'],
];

/** The guides for those who run the service. */
const FOR_OPERATORS = [
  ...['README.md', 'docs/containers.md', 'docs/kubernetes.md', 'docs/systemd.md', 'docs/node.md', 'docs/tls.md'],
  ...['docs/operating.md', 'docs/database.md', 'docs/status.md', 'docs/real-phones.md', 'docs/attached-phones.md'],
  ...['docs/check-phones.md', 'docs/phone.md', 'docs/scale.md'],
];

/** Languages of files that are shown as code, by their endings. */
const LANGUAGES: Record<string, string> = {
  '.ts': 'ts',
  '.py': 'py',
  '.go': 'go',
  '.sh': 'sh',
  '.json': 'json',
  '.yaml': 'yaml',
};

/** The guides, and the files that they lead to. */
export interface Guides {
  groups: readonly Group[];
  /** The paths of all files, by the addresses of their pages. */
  files: ReadonlyMap<string, string>;
  /** Reads a file as a page. */
  page(path: string, operationAt: Links['operationAt']): Promise<Page>;
}

/** Finds the files of the guides, and reads the titles of those in the sidebar. */
export function openGuides(): Guides {
  const inDocs = readdirSync(`${ROOT}docs`, { recursive: true, encoding: 'utf8' }).map((name) => `docs/${name}`);
  const paths = [...ALSO, ...inDocs].filter((path) => path.endsWith('.md') || extname(path) in LANGUAGES);
  const files = new Map(paths.map((path) => [addressOfFile(path), path]));
  return {
    files,
    groups: [
      { title: 'Guides', entries: FOR_CALLERS.map(entryOf) },
      { title: 'Running the service', entries: FOR_OPERATORS.map(entryOf), isFolded: true },
    ],
    page: async (path, operationAt) => {
      const text = await readFile(ROOT + path, 'utf8');
      const links = { operationAt, linkTo: (target: string) => linkFrom(path, target, files) };
      return path.endsWith('.md') ? guidePage(path, text, links) : filePage(path, text);
    },
  };
}

/** `docs/first-phone.md` is /docs/guides/first-phone/, and `client/README.md` /docs/guides/client/. */
function addressOfFile(path: string): string {
  const short = path === 'README.md' ? 'readme' : path.replace(/^docs\/|\/README\.md$/g, '').replace(/\.md$/, '');
  return `${GUIDES}${short}/`;
}

function entryOf(path: string): Entry {
  return { address: addressOfFile(path), title: titleOf(readFileSync(ROOT + path, 'utf8'), path) };
}

function titleOf(markdown: string, path: string): string {
  return plainText(/^# (.+)/m.exec(markdown)?.[1] ?? path);
}

/** The address of a link's target; undefined for a file that is no page. */
function linkFrom(path: string, target: string, files: ReadonlyMap<string, string>): string | undefined {
  if (/^(?:https?:\/\/|#|\/)/.test(target)) return target;
  const [file = '', anchor] = target.split('#');
  const address = addressOfFile(join(dirname(path), file));
  return files.has(address) ? address + (anchor === undefined ? '' : `#${anchor}`) : undefined;
}

function guidePage(path: string, text: string, links: Links): Page {
  const { content, headings } = renderMarkdown(text, links);
  const address = addressOfFile(path);
  const below = headings
    .filter(({ depth }) => depth === 2)
    .map(({ id, text: title }) => ({ address: `${address}#${id}`, title }));
  return {
    address,
    title: `${titleOf(text, path)}: cloud phones`,
    content: markup`<article class="text guide">${content}</article>`,
    below,
  };
}

function filePage(path: string, text: string): Page {
  const name = path.replace(/^docs\//, '');
  const content = markup`<article class="text guide">
    <h1>${name}</h1>
    ${codeBlock(text, LANGUAGES[extname(path)])}
  </article>`;
  return { address: addressOfFile(path), title: `${name}: cloud phones`, content, below: [] };
}
