import { expect } from 'chai';
import { type Links, renderInline, renderMarkdown } from './markdown.js';

const LINKS: Links = {
  linkTo: (target) => (target.startsWith('/') || target.startsWith('https:') ? target : undefined),
  operationAt: (name) => (name === 'GET /v1/devices/{name}' ? '/docs/reference/device/#getDevice' : undefined),
};

const render = (markdown: string): string => renderMarkdown(markdown, LINKS).content.toString().trim();

describe('Markdown on the pages', () => {
  it('has no markup of its own', () => {
    expect(render('Bearer <API key> & <script>alert(1)</script>')).to.equal(
      '<p>Bearer &lt;API key&gt; &amp; &lt;script&gt;alert(1)&lt;/script&gt;</p>',
    );
    expect(render('<div onclick="x">\n\n</div>')).not.to.include('<div');
    expect(render('`<b>` and ![a <b>](https://elsewhere.example/x.png)')).not.to.match(/<b>|<img/);
  });

  it('leaves out pictures that depend on the theme, notes, and words after the language of a block', () => {
    const picture =
      '<p align="center">\n  <picture>\n    <source media="(prefers-color-scheme: dark)" srcset="d.webp">\n    <img src="l.webp" alt="A">\n  </picture>\n</p>';
    expect(render(`${picture}\n\n<!-- a\nnote -->\n\ntext`)).to.equal('<p>text</p>');
    expect(render('<p onclick="x"><b>bold</b></p>')).to.include('&lt;p onclick');
    expect(render('```sh needs: a thing\nexport A=1\n```')).to.equal(render('```sh\nexport A=1\n```'));
  });

  it('links to what the pages have, and to nothing else', () => {
    expect(render('[one](/docs/guides/adb/) [two](javascript:alert) [three](none.md)')).to.equal(
      '<p><a href="/docs/guides/adb/">one</a> two three</p>',
    );
    expect(render('[a](https://x.example/?q="&b=1)')).to.include('href="https://x.example/?q=&quot;&amp;b=1"');
  });

  it('links the names of operations, in code and outside of it', () => {
    const link = 'href="/docs/reference/device/#getDevice"';
    expect(render('see GET /v1/devices/{name}.')).to.equal(`<p>see <a ${link}>GET /v1/devices/{name}</a>.</p>`);
    expect(render('`GET /v1/devices/{name}`')).to.equal(`<p><a ${link}><code>GET /v1/devices/{name}</code></a></p>`);
    expect(render('[GET /v1/devices/{name}](/x)')).to.equal('<p><a href="/x">GET /v1/devices/{name}</a></p>');
    expect(render('GET /v1/nothing')).to.equal('<p>GET /v1/nothing</p>');
  });

  it('gives titles the ids by which files link to them, each once', () => {
    const { content, headings } = renderMarkdown('## Is it `genuine`?\n\n## Limits\n\n## Limits', LINKS);
    expect(headings.map(({ id, text }) => [id, text])).to.deep.equal([
      ['is-it-genuine', 'Is it genuine?'],
      ['limits', 'Limits'],
      ['limits-1', 'Limits'],
    ]);
    expect(content.toString()).to.include('<h2 id="is-it-genuine">Is it <code>genuine</code>?</h2>');
  });

  it('gives rows of tables that are about a name an id, each name once', () => {
    const table =
      '| Name | Default |\n|---|---|\n| `PORT` | 8080 |\n| `A`, `B` | (none) |\n| a `PORT` | x |\n| `PORT` | again |';
    const html = render(table);
    expect(html.match(/<tr( id="[^"]*")?>/g)).to.deep.equal([
      ...['<tr>', '<tr id="name.PORT">', '<tr id="name.A">', '<tr>', '<tr>'],
    ]);
  });

  it('of a title has no paragraph', () => {
    expect(renderInline('matches `^a$`', LINKS).toString()).to.equal('matches <code>^a$</code>');
  });
});
