import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { type EdgeWorld, startEdge } from '../../testing/edge-world.js';
import { wholeDocument } from '../document/whole-document.js';
import { addressOfOperation } from '../api/address.js';
import { type Api, readApi } from '../api/api.js';
import { SHELVES } from '../pages/shelves.js';
import { createSite } from './site.js';

/** The repository, of which dist/ has compiled files only. */
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** Addresses of this service that are no pages of the documentation. */
const ELSEWHERE = ['/', '/favicon.svg', '/openapi-v1.yaml'];

describe('the pages of the reference', function () {
  this.timeout(120_000);
  let world: EdgeWorld;
  let api: Api;
  const pages = new Map<string, string>();
  before(async () => {
    world = await startEdge();
    const { document } = wholeDocument();
    api = readApi(document);
    for (const address of createSite(document, '/docs/assets/').pages.keys()) {
      const response = await fetch(world.base + address);
      expect(response.status, address).to.equal(200);
      pages.set(address, await response.text());
    }
  });
  after(() => world.close());

  it('have every operation, with its route, its fields, its errors and four samples', () => {
    const operations = api.resources.flatMap((resource) => resource.operations);
    expect(operations.length).to.be.greaterThan(70);
    for (const operation of operations) {
      const [address = '', id = ''] = addressOfOperation(operation).split('#');
      const section = sectionOf(pages.get(address) ?? '', id);
      const text = textOf(section);
      expect(text, id)
        .to.include(operation.title)
        .and.include(operation.isEvent ? 'POST' : operation.path);
      for (const { name } of operation.parameters) expect(text, id).to.include(name);
      for (const { status } of operation.failures) expect(text, id).to.include(status === 'default' ? 'else' : status);
      if (operation.isEvent) continue;
      for (const language of ['sh', 'ts', 'py', 'go']) expect(section, id).to.include(`class="sample ${language}"`);
      expect(text, id).to.match(/[\d,]+ requests a minute of/);
    }
  });

  it('have every field of every body, below what it belongs to', () => {
    const device = pages.get('/docs/reference/device/') ?? '';
    for (const id of ['createDevice.body.network', 'createDevice.body.network.country', 'createDevice.202.job.state']) {
      expect(device, id).to.include(`id="${id}"`);
    }
    const text = textOf(sectionOf(device, 'createDevice'));
    expect(text).to.match(/plan string required\s+one of minute, month/);
    expect(text).to.match(/name string\s+matches \^\[a-z\]\[a-z0-9-\]\{0,39\}\$/);
    expect(textOf(pages.get('/docs/reference/relay/') ?? '')).to.match(/allow list of strings\s+at most 20 items/);
    expect(textOf(pages.get('/docs/reference/group/') ?? '')).to.match(
      /devices list of strings required\s+1 to 200 items/,
    );
  });

  it('have all guides of callers and operators, on the home page and in the sidebar', () => {
    for (const address of ['/docs/', '/docs/reference/', '/docs/guides/webhooks/']) {
      const page = pages.get(address) ?? '';
      for (const { guides } of SHELVES) {
        for (const { file } of guides) expect(page, file).to.include(`<a href="${addressOfGuide(file)}"`);
      }
    }
    expect(textOf(pages.get('/docs/guides/webhooks/') ?? '')).to.include('hex HMAC-SHA256 of the raw body');
  });

  it('have each guide of docs/ on one shelf, with a line about it', () => {
    const shelved = SHELVES.flatMap(({ guides }) => guides);
    const files = readdirSync(`${ROOT}docs`).filter((name) => name.endsWith('.md') && name !== 'README.md');
    expect(shelved.map(({ file }) => file)).to.have.members([
      ...files.map((name) => `docs/${name}`),
      ...['README.md', 'client/README.md'],
    ]);
    for (const { file, about } of shelved) expect(about, file).to.match(/^.{15,75}\.$/);
  });

  it('have the resources in groups, with plural names, on the home page, the start and in the sidebar', () => {
    expect(api.groups.map(({ title }) => title)).to.include.members(['Phones', 'Apps and files', 'Account']);
    for (const address of ['/docs/', '/docs/reference/', '/docs/reference/device/']) {
      const page = pages.get(address) ?? '';
      for (const { title, resources } of api.groups) {
        expect(textOf(page), address).to.include(title);
        for (const { slug, title: name } of resources) {
          expect(page, name).to.match(new RegExp(`<a href="/docs/reference/${slug}/"[^>]*>${name}</a>`));
        }
      }
    }
    expect(pages.get('/docs/reference/device/')).to.include('<h1>Devices</h1>');
  });

  it('lead home, and to the other part, from everywhere', () => {
    for (const [address, html] of pages) {
      expect(html, address).to.include('<a class="brand" href="/docs/">');
      for (const target of ['/docs/', '/docs/reference/', '/']) expect(attributes(html, 'href')).to.include(target);
    }
  });

  it('lead nowhere that is not there', () => {
    const broken: string[] = [];
    const idsOf = new Map([...pages].map(([address, html]) => [address, new Set(attributes(html, 'id'))]));
    for (const [address, html] of pages) {
      for (const target of attributes(html, 'href')) {
        if (/^https?:|^\/docs\/assets\//.test(target)) continue;
        const [path = '', id] = target.split('#');
        const page = path === '' ? address : path;
        const isThere = idsOf.get(page)?.has(id ?? 'content') ?? ELSEWHERE.includes(page);
        if (!isThere) broken.push(`${address}: ${target}`);
      }
    }
    expect(broken).to.deep.equal([]);
  });

  it('have each id once', () => {
    for (const [address, html] of pages) {
      const ids = attributes(html, 'id');
      const twice = ids.filter((id, index) => ids.indexOf(id) !== index);
      expect(twice, address).to.deep.equal([]);
    }
  });

  it('show no Markdown as it is written', () => {
    for (const [address, html] of pages) {
      const prose = textOf(html.replace(/<(pre|code|textarea)\b[^]*?<\/\1>/g, ''));
      expect(/.{0,40}(?:`|\*\*|\]\().{0,40}/.exec(prose)?.[0], address).to.equal(undefined);
    }
  });

  it('have short titles', () => {
    for (const [address, html] of pages) {
      if (!address.startsWith('/docs/reference/')) continue;
      const titles = [...html.matchAll(/<h[12][^>]*>(.*?)<\/h[12]>/g)].map(([, title]) => textOf(title ?? '').trim());
      expect(titles.length, address).to.be.greaterThan(0);
      for (const title of titles) expect(title.length, title).to.be.at.most(32);
    }
  });

  it('have every place that the search leads to', async () => {
    const index = (await (await fetch(`${world.base}/docs/reference/search.json`)).json()) as {
      storedFields: Record<string, { kind: string; title: string; address: string }>;
    };
    const entries = Object.values(index.storedFields);
    const find = (title: string) => entries.filter((entry) => entry.title === title).map(({ address }) => address);
    expect(find('Create device')).to.deep.equal(['/docs/reference/device/#createDevice']);
    expect(find('idle_stop_s')).to.include('/docs/reference/device/#createDevice.body.idle_stop_s');
    expect(find('Repeating a request')).to.deep.equal(['/docs/guides/errors-and-limits/#repeating-a-request']);
    for (const kind of [
      'operation',
      'event',
      'resource',
      'guide',
      'section',
      'field',
      'result',
      'error',
      'setting',
      'inside',
    ]) {
      expect(entries.some((entry) => entry.kind === kind)).to.equal(true, kind);
    }
    for (const { address } of entries) {
      const [page = '', id] = address.split('#');
      expect(pages.has(page), address).to.equal(true);
      if (id !== undefined) expect(pages.get(page), address).to.include(`id="${id}"`);
    }
  });
});

/** The address of a guide's page, by its file. */
function addressOfGuide(file: string): string {
  const names: Record<string, string> = { 'README.md': 'readme', 'client/README.md': 'client' };
  return `/docs/guides/${names[file] ?? file.slice('docs/'.length, -'.md'.length)}/`;
}

/** An operation's part of its page. */
function sectionOf(html: string, id: string): string {
  const start = html.indexOf(`<section class="operation" id="${id}"`);
  expect(start, id).to.be.greaterThan(0);
  return html.slice(start, html.indexOf('</section>', start));
}

function attributes(html: string, name: string): string[] {
  return [...html.matchAll(new RegExp(`\\s${name}="([^"]*)"`, 'g'))].map(([, value]) => value!);
}

/** The text of markup, as a browser without scripts and styles shows it. */
function textOf(html: string): string {
  return html
    .replace(/<[^>]*>/g, '')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/&amp;/g, '&')
    .replace(/[ \n]+/g, ' ');
}
