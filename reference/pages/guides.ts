import { readFileSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path/posix';
import { fileURLToPath } from 'node:url';
import { GUIDES, HOME } from '../api/address.js';
import { codeBlock } from './code-block.js';
import type { Page } from './frame.js';
import { markup } from './html.js';
import { type Links, renderMarkdown } from './markdown.js';
import { plainText } from './plain-text.js';
import { type Shelf, SHELVES } from './shelves.js';

/** The repository's folder. The guides are read there, as dist/ has compiled files only. */
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** The list of the guides for readers of the repository. On this site, the home page replaces it. */
const LIST = 'docs/README.md';

/** Files that are pages, beside those in docs/. */
const ALSO = ['README.md', 'client/README.md'];

/** Languages of files that are shown as code, by their endings. */
const LANGUAGES: Record<string, string> = {
  '.ts': 'ts',
  '.py': 'py',
  '.go': 'go',
  '.sh': 'sh',
  '.json': 'json',
  '.yaml': 'yaml',
};

/** A guide as the home page, the sidebar and the search show it. */
export interface Guide {
  address: string;
  title: string;
  about: string;
  /** The text of the file. */
  markdown: string;
}

/** A shelf whose guides have been read. */
export interface OpenShelf extends Omit<Shelf, 'guides'> {
  guides: readonly Guide[];
}

/** The guides, and the files that they lead to. */
export interface Guides {
  shelves: readonly OpenShelf[];
  /** The paths of all files, by the addresses of their pages. */
  files: ReadonlyMap<string, string>;
  /** Reads a file as a page. */
  page(path: string, operationAt: Links['operationAt']): Promise<Page>;
}

/** Finds the files of the guides, and reads those on shelves. */
export function openGuides(): Guides {
  const inDocs = readdirSync(`${ROOT}docs`, { recursive: true, encoding: 'utf8' }).map((name) => `docs/${name}`);
  const paths = [...ALSO, ...inDocs].filter(
    (path) => path !== LIST && (path.endsWith('.md') || extname(path) in LANGUAGES),
  );
  const files = new Map(paths.map((path) => [addressOfFile(path), path]));
  return {
    files,
    shelves: SHELVES.map(({ guides, ...shelf }) => ({
      ...shelf,
      guides: guides.map(({ file, about, title }) => {
        const markdown = readFileSync(ROOT + file, 'utf8');
        return { address: addressOfFile(file), title: title ?? titleOf(markdown, file), about, markdown };
      }),
    })),
    page: async (path, operationAt) => {
      const text = await readFile(ROOT + path, 'utf8');
      const links = { operationAt, linkTo: (target: string) => linkFrom(path, target, files) };
      return path.endsWith('.md') ? guidePage(path, text, links) : filePage(path, text);
    },
  };
}

/** Returns the address of a page: /docs/guides/first-phone/ for `docs/first-phone.md`, and /docs/guides/client/ for `client/README.md`. */
function addressOfFile(path: string): string {
  const short = path === 'README.md' ? 'readme' : path.replace(/^docs\/|\/README\.md$/g, '').replace(/\.md$/, '');
  return `${GUIDES}${short}/`;
}

function titleOf(markdown: string, path: string): string {
  return plainText(/^# (.+)/m.exec(markdown)?.[1] ?? path);
}
/** The address of a link's target; undefined for a file that is no page. */
function linkFrom(path: string, target: string, files: ReadonlyMap<string, string>): string | undefined {
  if (/^(?:https?:\/\/|#|\/)/.test(target)) return target;
  const [file = '', anchor] = target.split('#');
  const linked = join(dirname(path), file);
  if (linked === LIST) return HOME;
  const address = addressOfFile(linked);
  return files.has(address) ? address + (anchor === undefined ? '' : `#${anchor}`) : undefined;
}

function guidePage(path: string, text: string, links: Links): Page {
  const { content, headings } = renderMarkdown(text, links);
  const address = addressOfFile(path);
  const below = headings
    .filter(({ depth }) => depth === 2)
    .map(({ id, text: title }) => ({ address: `#${id}`, title }));
  return {
    ...{ address, part: 'guides' },
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
  return { address: addressOfFile(path), part: 'guides', title: `${name}: cloud phones`, content, below: [] };
}
