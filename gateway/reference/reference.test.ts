import { expect } from 'chai';
import { parse } from 'yaml';
import { type EdgeWorld, startEdge } from '../../testing/edge-world.js';

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
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; base-uri 'none'; " +
        "form-action 'none'; frame-ancestors 'none'",
    );
    const html = await page.text();
    expect(html).not.to.match(/<style|<script(?! type="module" src="\/)|\sstyle=|\son\w+=/);
    const files = [...html.matchAll(/<(?:script|link)[^>]*(?:src|href)="([^"]+)"/g)].map(([, file]) => file!);
    expect(files).to.include.members(['/docs/reference/page.css', '/docs/reference/page.js']);
    const scripts = ['/docs/reference/search.json'];
    for (const file of [...files.filter((name) => name !== '/favicon.svg'), ...scripts]) {
      const response = await fetch(world.base + file);
      expect(response.status, file).to.equal(200);
      expect(response.headers.get('x-content-type-options'), file).to.equal('nosniff');
      const text = await response.text();
      expect(text, file).not.to.match(/https?:[^"'\s]*\.(svg|png|jpe?g|woff2?)\b/);
      for (const [, module] of text.matchAll(/from '\.\/([\w-]+\.js)'/g)) {
        expect((await fetch(`${world.base}/docs/reference/${module!}`)).status, module).to.equal(200);
      }
    }
  });

  it('is found without the last slash, and refuses other methods', async () => {
    const moves = [
      ['/docs/reference', '/docs/reference/'],
      ['/docs', '/docs/reference/'],
      ['/docs/', '/docs/reference/'],
      ['/docs/reference/device', '/docs/reference/device/'],
      ['/docs/guides/webhooks', '/docs/guides/webhooks/'],
    ] as const;
    for (const [path, to] of moves) {
      const moved = await fetch(world.base + path, { redirect: 'manual' });
      expect([moved.status, moved.headers.get('location')], path).to.deep.equal([301, to]);
    }
    for (const path of ['/openapi-v1.yaml', '/docs/reference/', '/docs/reference/device/']) {
      const refused = await fetch(world.base + path, { method: 'POST' });
      expect([refused.status, refused.headers.get('allow')], path).to.deep.equal([405, 'GET, HEAD']);
    }
    const missing = [
      ...['/docs/reference/../../package.json', '/docs/reference/page.js/', '/docs/reference/none.js'],
      ...['/docs/reference/none/', '/docs/guides/..%2f..%2fpackage.json/', '/docs//evil.example', '/docs/guides/'],
    ];
    for (const path of missing) expect((await fetch(world.base + path)).status, path).to.equal(404);
  });
});
