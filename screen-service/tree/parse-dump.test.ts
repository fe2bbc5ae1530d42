import { expect } from 'chai';
import { processorMs } from '../../testing/processor-time.js';
import { readDumpOutput } from './dump-output.js';
import { parseDump } from './parse-dump.js';
import { BadDump } from './tokenize.js';

const HEAD = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>";

describe('a dump', () => {
  it('is read with either kind of quote, entities and characters beyond the basic plane', () => {
    const { roots, rotation } = parseDump(
      `${HEAD}<hierarchy rotation="1"><node text='say "hi"' content-desc="a &amp; b &lt;c&gt; &#128512;&#10;" ` +
        'class="android.widget.TextView" bounds="[1,-2][30,40]" checked="true" /></hierarchy>',
    );
    expect(rotation).to.equal(1);
    expect(roots[0]).to.include({
      text: 'say "hi"',
      description: 'a & b <c> \u{1f600}\n',
      checked: true,
      enabled: true,
    });
    expect(roots[0]).to.include({ left: 1, top: -2, right: 30, bottom: 40 });
  });

  it('may hold a > inside a value', () => {
    expect(parseDump('<hierarchy><node text="1 > 0" /></hierarchy>').roots[0]?.text).to.equal('1 > 0');
  });

  it('keeps references that mean nothing as they stand', () => {
    expect(parseDump('<hierarchy><node text="&bomb; &#0; &x" /></hierarchy>').roots[0]?.text).to.equal(
      '&bomb; \ufffd &x',
    );
  });

  const bad: [string, string][] = [
    ['has a document type', '<!DOCTYPE x []><hierarchy></hierarchy>'],
    ['ends inside a tag', '<hierarchy><node text="'],
    ['ends inside a comment', '<hierarchy><!-- '],
    ['ends before its end', '<hierarchy><node>'],
    ['closes what it did not open', '<hierarchy></node></hierarchy>'],
    ['is too deep', `<hierarchy>${'<node>'.repeat(501)}`],
    ['has too many nodes', `<hierarchy>${'<node />'.repeat(20_001)}</hierarchy>`],
  ];
  for (const [what, xml] of bad) {
    it(`that ${what} is refused`, () => expect(() => parseDump(xml)).to.throw(BadDump));
  }

  it('of a hundred thousand characters of nonsense is refused in linear time', async () => {
    for (const nonsense of [
      '<'.repeat(100_000),
      `<node ${'a='.repeat(50_000)}>`,
      `<node ${'"'.repeat(100_001)}>`,
      `<node ${'a'.repeat(100_000)}>`,
      `<node ${`a"'"`.repeat(25_000)}>`,
    ]) {
      const usedMs = await processorMs(() => expect(() => parseDump(`<hierarchy>${nonsense}`)).to.throw(BadDump));
      expect(usedMs).to.be.lessThan(2_000);
    }
  });
});

describe("uiautomator's output", () => {
  const read = (text: string | Buffer) => readDumpOutput(Buffer.from(text as string));

  it('is the XML between warnings in front and the line after it, in both spellings', () => {
    for (const spelling of ['hierchary', 'hierarchy']) {
      const output = `WARNING: linker: x\n${HEAD}<hierarchy rotation="0"><node /></hierarchy>UI ${spelling} dumped to: /dev/tty\n`;
      expect(read(output)).to.deep.equal({ kind: 'xml', xml: `${HEAD}<hierarchy rotation="0"><node /></hierarchy>` });
    }
  });

  it('shows by its text that the screen was not idle, though the status is 0', () => {
    expect(read('ERROR: could not get idle state.\n')).to.deep.equal({ kind: 'not_idle' });
  });

  it('is worth another try without a root or while another program is connected', () => {
    expect(read('ERROR: null root node returned by UiTestAutomationBridge.\n').kind).to.equal('again');
    expect(read('Killed\n').kind).to.equal('again');
    expect(read('java.lang.IllegalStateException: UiAutomationService x already registered!').kind).to.equal('again');
  });

  it('may say that the tree is elsewhere', () => {
    expect(read('UI hierchary dumped to: /sdcard/window_dump.xml\n').kind).to.equal('elsewhere');
  });

  it('of hundreds of thousands of characters of nonsense is judged in linear time', async () => {
    for (const nonsense of ['\n'.repeat(400_000), ' \r'.repeat(200_000), '<hierarchy'.repeat(40_000)]) {
      const usedMs = await processorMs(() => expect(read(nonsense).kind).to.equal('broken'));
      expect(usedMs).to.be.lessThan(2_000);
    }
  });

  it('that is something else is broken', () => {
    expect(read('').kind).to.equal('broken');
    expect(read('<hierarchy rotation="0"><node').kind).to.equal('broken');
    expect(read('<hierarchy rotation="0"').kind).to.equal('broken');
    expect(read('<hierarchy rotation="0" />')).to.include({ xml: '<hierarchy rotation="0"></hierarchy>' });
  });
});
