import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { renderMarkdown } from './markdown.js';
import { sectionsOf } from './sections.js';
import { SHELVES } from './shelves.js';

/** The repository, of which dist/ has compiled files only. */
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

describe('the sections of a text', () => {
  it('are what stands below each title, without code and markup', () => {
    const text =
      '# Tea\n\nHot **water**.\n\n## Brew\n\n- one `cup`\n- [two](x.md)\n\n```sh\nsecret\n```\n\n### Wait\n\nLong.';
    expect(sectionsOf(text).map(({ id, title, text: plain }) => [id, title, plain])).to.deep.equal([
      [undefined, 'Tea', 'Hot water.'],
      ['brew', 'Brew', 'one cup two'],
      ['wait', 'Wait', 'Long.'],
    ]);
  });

  it('have the rows that are about names, with the text of their other cells', () => {
    const text =
      '# A\n\n## Settings\n\n| Name | Default | Meaning |\n|---|---|---|\n| `TLS_CERT`, `TLS_KEY` | (none) | PEM files. |';
    expect(sectionsOf(text)[1]?.rows).to.deep.equal([
      { names: ['TLS_CERT', 'TLS_KEY'], id: 'name.TLS_CERT', text: '(none) · PEM files.' },
    ]);
  });

  it('have the ids that the pages of all guides have', () => {
    const links = { linkTo: () => undefined, operationAt: () => undefined };
    const files = SHELVES.flatMap(({ guides }) => guides.map(({ file }) => file));
    for (const file of files) {
      const markdown = readFileSync(ROOT + file, 'utf8');
      const { content } = renderMarkdown(markdown, links);
      const known = new Set([...content.toString().matchAll(/ id="([^"]*)"/g)].map(([, id]) => id));
      for (const { id, rows } of sectionsOf(markdown)) {
        for (const place of [id, ...rows.map((row) => row.id)]) {
          if (place !== undefined) expect(known.has(place), `${file}: ${place}`).to.equal(true);
        }
      }
    }
  });
});
