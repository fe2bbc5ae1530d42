import { expect } from 'chai';
import { parse } from 'yaml';
import { type EdgeWorld, startEdge } from '../testing/edge-world.js';

describe('the reference', () => {
  let world: EdgeWorld;
  before(async () => {
    world = await startEdge();
  });
  after(() => world.close());

  it('is a file that anyone can download, once while it is the same', async () => {
    const first = await fetch(`${world.base}/openapi-v1.yaml`);
    expect(first.status).to.equal(200);
    expect(first.headers.get('content-type')).to.equal('application/yaml; charset=utf-8');
    const document = parse(await first.text()) as { openapi: string; paths: object };
    expect(document.openapi).to.equal('3.1.0');
    expect(document.paths).to.have.property('/v1/devices/{name}/act');
    const etag = first.headers.get('etag')!;
    const second = await fetch(`${world.base}/openapi-v1.yaml`, { headers: { 'if-none-match': etag } });
    expect(second.status).to.equal(304);
    expect(await second.text()).to.equal('');
    const beside = await fetch(`${world.base}/docs/reference/openapi-v1.yaml`);
    expect([beside.status, beside.headers.get('etag')]).to.deep.equal([200, etag]);
  });

  for (const path of ['/openapi-v1.yaml', '/docs/reference/device/']) {
    it(`is sent compressed to those that take it so: ${path}`, async () => {
      const [plain, zipped] = await Promise.all(
        ['identity', 'gzip'].map((encoding) =>
          fetch(`${world.base}${path}`, { headers: { 'accept-encoding': encoding } }),
        ),
      );
      expect(plain!.headers.get('content-encoding')).to.equal(null);
      expect(zipped!.headers.get('content-encoding')).to.equal('gzip');
      expect(Number(zipped!.headers.get('content-length'))).to.be.lessThan(
        Number(plain!.headers.get('content-length')) / 4,
      );
      expect(await zipped!.text()).to.equal(await plain!.text());
    });
  }

  it('is pages that load nothing from elsewhere', async () => {
    const page = await fetch(`${world.base}/docs/reference/screen/`);
    expect(page.status).to.equal(200);
    expect(page.headers.get('content-type')).to.equal('text/html; charset=utf-8');
    expect(page.headers.get('content-security-policy')).to.equal(
      "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' blob:; connect-src 'self'; base-uri 'none'; " +
        "form-action 'none'; frame-ancestors 'none'",
    );
    const html = await page.text();
    expect(html).not.to.match(/<style|<script(?! type="module" src="\/)|\sstyle=|\son\w+=/);
    const files = [...html.matchAll(/<(?:script|link)[^>]*(?:src|href)="([^"]+)"/g)].map(([, file]) => file!);
    const [assets = ''] = /\/docs\/assets\/[0-9a-f]{12}\//.exec(html) ?? [];
    expect(files).to.include.members([`${assets}page.css`, `${assets}page.js`]);
    const loaded = ['minisearch.js', 'ranking.js', 'geist.woff2'].map((name) => assets + name);
    for (const file of [...files.filter((name) => name !== '/favicon.svg'), ...loaded, '/docs/reference/search.json']) {
      const response = await fetch(world.base + file);
      expect(response.status, file).to.equal(200);
      expect(response.headers.get('cache-control'), file).to.equal(
        file.startsWith(assets) ? 'public, max-age=31536000, immutable' : 'no-cache',
      );
      expect(response.headers.get('x-content-type-options'), file).to.equal('nosniff');
      const text = await response.text();
      expect(text, file).not.to.match(/https?:[^"'\s]*\.(svg|png|jpe?g|woff2?)\b/);
      expect(text, file).not.to.include('sourceMappingURL');
      for (const [, module] of text.matchAll(/(?:from |import\()'\.\/([\w-]+\.js)'/g)) {
        expect((await fetch(world.base + assets + module!)).status, module).to.equal(200);
      }
    }
  });

  it('is found without the last slash, and refuses other methods', async () => {
    const moves = [
      ['/docs/reference', '/docs/reference/'],
      ['/docs', '/docs/'],
      ['/docs/reference/device', '/docs/reference/device/'],
      ['/docs/guides/webhooks', '/docs/guides/webhooks/'],
    ] as const;
    for (const [path, to] of moves) {
      const moved = await fetch(world.base + path, { redirect: 'manual' });
      expect([moved.status, moved.headers.get('location')], path).to.deep.equal([301, to]);
    }
    for (const path of ['/openapi-v1.yaml', '/docs/', '/docs/reference/', '/docs/reference/device/']) {
      const refused = await fetch(world.base + path, { method: 'POST' });
      expect([refused.status, refused.headers.get('allow')], path).to.deep.equal([405, 'GET, HEAD']);
    }
    const missing = [
      ...['/docs/reference/../../package.json', '/docs/reference/page.js/', '/docs/assets/none.js'],
      ...['/docs/reference/entries.js', '/docs/reference/build-index.js', '/docs/reference/ranking.js.map'],
      ...['/docs/index.html', '/docs/assets', '/docs/assets/', '/docs/reference/none/'],
      ...['/docs/guides/..%2f..%2fpackage.json/', '/docs//evil.example', '/docs/guides/'],
    ];
    for (const path of missing) expect((await fetch(world.base + path)).status, path).to.equal(404);
  });
});

describe('the reference of an installation with limits and an address of its own', () => {
  let world: EdgeWorld;
  before(async () => {
    world = await startEdge(
      {},
      {
        limits: { maxKeyRequests: 1234, maxDeviceRequests: 5678, maxAccountRequests: 37_020 },
        publicUrl: new URL('https://phones.example.com:8443/'),
      },
    );
  });
  after(() => world.close());

  const textOf = async (path: string): Promise<string> => (await fetch(world.base + path)).text();

  it('has them in the document, on the pages and in what the search shows', async () => {
    const yaml = await textOf('/openapi-v1.yaml');
    const document = parse(yaml) as {
      servers: { url: string }[];
      paths: Record<string, Record<string, { 'x-limits': string[] }>>;
    };
    expect(document.servers[0]?.url).to.equal('https://phones.example.com:8443');
    expect(document.paths['/v1/devices/{name}']?.['get']?.['x-limits']).to.include.members([
      '1,234 requests a minute of a key.',
      '5,678 requests a minute of all callers for a device.',
    ]);
    const start = await textOf('/docs/reference/');
    for (const text of ['1234 a minute', '5678 a minute', '37020 a minute']) {
      expect(yaml).to.include(`| ${text} |`);
      expect(start).to.include(`<td>${text}</td>`);
    }
    expect(await textOf('/docs/reference/device/')).to.include('5,678 requests a minute of all callers for a device.');
    expect(await textOf('/docs/reference/search.json')).to.include('Requests of a key 1234 a minute');
  });

  it('has no slot that is not filled', async () => {
    for (const path of [
      '/openapi-v1.yaml',
      '/docs/reference/',
      '/docs/reference/device/',
      '/docs/reference/search.json',
    ]) {
      expect(await textOf(path), path).not.to.match(/⟦\w+⟧/);
    }
  });
});
