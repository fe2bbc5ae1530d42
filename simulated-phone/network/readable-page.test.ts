import { expect } from 'chai';
import { processorMs } from '../../testing/processor-time.js';
import { readablePage } from './readable-page.js';

const read = (html: string): ReturnType<typeof readablePage> => readablePage(html, 'http://site.example/a/');

describe('a readable page', () => {
  it('keeps title, headings, paragraphs, items and links in order', () => {
    const page = read(
      '<!doctype html><html><head><title> A &amp; B </title><style>p{}</style></head><body><h1>Top</h1>' +
        '<p>One <em>two</em></p><ul><li>Item</li></ul><a href="../b?x=1&amp;y=2">Link</a> tail</body></html>',
    );
    expect(page.title).to.equal('A & B');
    expect(page.blocks).to.deep.equal([
      { kind: 'heading', text: 'Top' },
      { kind: 'paragraph', text: 'One two' },
      { kind: 'item', text: 'Item' },
      { kind: 'link', text: 'Link', href: 'http://site.example/b?x=1&y=2' },
      { kind: 'paragraph', text: 'tail' },
    ]);
  });

  it('leaves scripts, comments and frames out, even unclosed ones', () => {
    expect(read('a<script>if (x < 1) "<p>no</p>"</script>b<!-- c --><iframe src="x">d</iframe>e').blocks).to.deep.equal(
      [{ kind: 'paragraph', text: 'abe' }],
    );
    expect(read('seen<script>never closed <p>x').blocks).to.deep.equal([{ kind: 'paragraph', text: 'seen' }]);
    expect(read('seen<!-- never closed <p>x').blocks).to.deep.equal([{ kind: 'paragraph', text: 'seen' }]);
  });

  it('offers no link to anything but pages', () => {
    const page = read('<a href="javascript:alert(1)">x</a><a href="mailto:a@b">y</a><a href="http://[">z</a>');
    expect(page.blocks.some(({ href }) => href !== undefined)).to.equal(false);
  });

  it('decodes entities and survives wrong ones', () => {
    expect(read('&#65;&#x1F600;&eacutex;&lt;b&gt;&#0;&#x110000;&nbsp;').blocks[0]?.text).to.equal(
      'A😀&eacutex;<b>\ufffd\ufffd',
    );
  });

  it('is bounded and marked as cut', () => {
    const page = read('<p>x</p>'.repeat(1000));
    expect(page.blocks).to.have.length(300);
    expect(page.cut).to.equal(true);
  });

  it('takes a hostile page in linear time', async () => {
    const usedMs = await processorMs(() => {
      for (const piece of ['<', '<a "', '<!--', "<a href='", '&#', '</']) read(piece.repeat(100_000));
      // The page has a quote that is opened after many tags, and never closed.
      read(`${'<a '.repeat(100_000)}"`);
    });
    expect(usedMs).to.be.below(5_000);
  });
});
