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

  it('is sent compressed to those that take it so', async () => {
    const [plain, zipped] = await Promise.all(
      ['identity', 'gzip'].map((encoding) =>
        fetch(`${world.base}/openapi-v1.yaml`, { headers: { 'accept-encoding': encoding } }),
      ),
    );
    expect(plain!.headers.get('content-encoding')).to.equal(null);
    expect(zipped!.headers.get('content-encoding')).to.equal('gzip');
    expect(Number(zipped!.headers.get('content-length'))).to.be.lessThan(
      Number(plain!.headers.get('content-length')) / 4,
    );
    expect(await zipped!.text()).to.equal(await plain!.text());
  });

  it('is a page that loads nothing from elsewhere', async () => {
    const page = await fetch(`${world.base}/docs/reference/`);
    expect(page.status).to.equal(200);
    expect(page.headers.get('content-security-policy')).to.include("default-src 'none'").and.not.include('unsafe');
    const html = await page.text();
    expect(html).not.to.match(/https?:|<style|<script>|\sstyle=|\son\w+=/);
    const files = [...html.matchAll(/(?:src|href)="([^"]+\.(?:js|css|yaml))"/g)].map(([, file]) => file!);
    expect(files).to.include.members(['page.css', 'page.js', 'redoc.js', '/openapi-v1.yaml']);
    for (const file of files) {
      const response = await fetch(new URL(file, `${world.base}/docs/reference/`));
      expect(response.status, file).to.equal(200);
      expect(response.headers.get('x-content-type-options'), file).to.equal('nosniff');
      expect(await response.text(), file).not.to.match(/https?:[^"'\s]*\.(svg|png|jpe?g|woff2?)\b/);
    }
  });

  it('has the guides on its page', async () => {
    const shown = (await (await fetch(`${world.base}/docs/reference/reference.json`)).json()) as {
      tags: { name: string; description: string }[];
    };
    const guide = shown.tags.find(({ name }) => name === 'Webhooks')!;
    expect(guide.description)
      .to.include('hex HMAC-SHA256 of the raw body')
      .and.not.match(/^# |^## /m);
  });

  it('is found without the last slash, and refuses other methods', async () => {
    const moved = await fetch(`${world.base}/docs/reference`, { redirect: 'manual' });
    expect(moved.status).to.equal(301);
    expect(moved.headers.get('location')).to.equal('/docs/reference/');
    const refused = await fetch(`${world.base}/openapi-v1.yaml`, { method: 'POST' });
    expect(refused.status).to.equal(405);
    expect(refused.headers.get('allow')).to.equal('GET, HEAD');
    for (const path of ['/docs/reference/../../package.json', '/docs/reference/page.js/', '/docs/reference/none.js']) {
      expect((await fetch(world.base + path)).status, path).to.equal(404);
    }
  });
});
