import { existsSync, readdirSync, statSync } from 'node:fs';
import { posix } from 'node:path';
import { expect } from 'chai';
import { allPages, blocksOf, HOME, pagesOfDocs, readPage, ROOT } from './pages.js';

/** Programs whose commands are to be marked as such. */
const PROGRAM =
  /^(?:sudo |[A-Z_]+=\S+ )*(?:adb|cd|claude|curl|docker|echo|export|helm|kubectl|mkdir|node|npm|npx|openssl|podman|python3|sh)\b/m;

const MAX_README_WORDS = 1_000;

describe('the pages of the documentation', () => {
  const pages = allPages();
  const blocks = pages.flatMap(blocksOf);

  it('are all reached from their home', () => {
    expect(pagesOfDocs().filter((page) => !pages.includes(page))).to.deep.equal([]);
  });

  it('link to files that exist, and to titles in them', () => {
    const faults = [...pages, 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'].flatMap((page) =>
      [...readPage(page).matchAll(/\]\(([^)\s]+)\)|(?:src|srcset)="([^"]+)"/g)].flatMap(([, link, source]) => {
        const [target = '', anchor] = (link ?? source ?? '').split('#');
        if (/^(?:https?:|mailto:|\/)/.test(target)) return [];
        const path = target === '' ? page : posix.join(posix.dirname(page), target);
        if (!existsSync(ROOT + path)) return [`${page}: ${target}`];
        if (anchor === undefined || !path.endsWith('.md') || anchorsOf(path).includes(anchor)) return [];
        return [`${page}: ${target}#${anchor}`];
      }),
    );
    expect(faults).to.deep.equal([]);
  });

  it('begin with a README of a thousand words at the most', () => {
    expect(readPage('README.md').split(/\s+/).filter(Boolean).length).to.be.below(MAX_README_WORDS + 1);
    expect(readPage('README.md').split('\n').length).to.be.below(151);
  });

  it('show pictures that are all of use, in light and dark, and small', () => {
    const names = readdirSync(`${ROOT}docs/pictures`);
    const text = pages.map(readPage).join('\n');
    expect(names.filter((name) => !text.includes(`pictures/${name}`))).to.deep.equal([]);
    const sizes = names.map((name) => statSync(`${ROOT}docs/pictures/${name}`).size);
    expect(Math.max(...sizes)).to.be.below(1_500_000);
    expect(sizes.reduce((sum, size) => sum + size, 0)).to.be.below(3_000_000);
    for (const name of names.filter((one) => one.endsWith('-light.webp')))
      expect(names).to.include(name.replace('-light', '-dark'));
  });

  it('have a changelog of one short line for each change', () => {
    const lines = readPage('CHANGELOG.md').split('\n');
    expect(lines.filter((line) => line.length > 150 || !/^(?:$|#{1,3} |- |One line)/.test(line))).to.deep.equal([]);
  });

  it('have the licence beside each package that is handed out', () => {
    for (const folder of ['cli', 'client', 'mcp', 'clients/python'])
      expect(readPage(`${folder}/LICENSE`), folder).to.equal(readPage('LICENSE'));
  });

  it('mark commands as commands', () => {
    const unmarked = blocks.filter(({ language, text }) => language === '' && PROGRAM.test(text));
    // A diagram of a session, of which the lines are no commands.
    expect(
      unmarked.filter(({ page }) => page !== 'docs/relay.md').map(({ page, text }) => `${page}: ${text}`),
    ).to.deep.equal([]);
  });

  it('have commands that nothing has to be replaced in, and that do not end the shell of the reader', () => {
    const commands = blocks.filter(({ language }) => language === 'sh');
    expect(commands.length).to.be.greaterThan(50);
    const faults = commands.flatMap(({ page, text }) =>
      text
        .split('\n')
        .filter((line) =>
          /<[a-z_ ]+>|(?:job|snap|grp|cp)_…|devices\/one\b|\bset -[a-z]*e|^ *exit\b|\$BASE\b|\$KEY\b/i.test(line),
        )
        .map((line) => `${page}: ${line}`),
    );
    expect(faults).to.deep.equal([]);
  });

  it('name the home of each page of docs once for each group of readers', () => {
    const groups = readPage(HOME).split(/^## /m).slice(1);
    expect(groups.length).to.be.greaterThan(3);
    for (const group of groups) {
      const links = [...group.matchAll(/\]\(([^)]+)\)/g)].map(([, target]) => target);
      expect(new Set(links).size, group).to.equal(links.length);
    }
  });
});

/** The anchors of a page's titles, as GitHub makes them. */
function anchorsOf(page: string): string[] {
  return [...readPage(page).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .replace(/\[([^\]]+)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
