import { expect } from 'chai';
import { asSource } from '../testing/as-source.js';
import { frameworkDumps } from '../testing/framework-dumps.js';
import { elementsOf } from './elements.js';
import { parseDump } from './parse-dump.js';

const dumps = frameworkDumps();
const SCREEN = { width: 1080, height: 2400 };

const NODE = '<node index="0" text="One" class="android.widget.TextView" package="com.x" enabled="true" bounds="[0,0][100,50]" />'; // prettier-ignore
const DUMP = `<hierarchy rotation="0">${NODE}</hierarchy>`;

describe('a source of the UiAutomator2 server', () => {
  for (const { name, xml, screen } of dumps)
    it(`gives the same elements as the dump of ${name}`, () => {
      const source = asSource(xml);
      expect(source).not.to.contain('<node');
      expect(elementsOf(parseDump(source), screen)).to.deep.equal(elementsOf(parseDump(xml), screen));
    });

  it('gives the same elements as a dump without hints and drawing order, where it has both', () => {
    const plain = dumps.filter(({ xml }) => !xml.includes('drawing-order='));
    expect(plain.length).to.be.greaterThan(50);
    for (const { name, xml, screen } of plain) {
      const source = asSource(xml, { details: true });
      expect(source).to.contain('drawing-order=');
      const elements = elementsOf(parseDump(source, { plain: true }), screen);
      expect(elements, name).to.deep.equal(elementsOf(parseDump(xml), screen));
    }
  });

  it('keeps the class of an inner class, whose tag cannot have its name', () => {
    const source = asSource(DUMP.replace('android.widget.TextView', 'com.x.Page$Title'));
    expect(source).to.contain('<com.x.Page.Title ');
    expect(parseDump(source).roots[0]?.className).to.equal('com.x.Page$Title');
  });

  it('has the roots of several windows', () => {
    const second = asSource(DUMP.replace('One', 'Two').replace('[0,0][100,50]', '[0,60][100,90]'));
    const root = /<android[^>]*>/.exec(second)?.[0] ?? '';
    const tree = parseDump(asSource(DUMP, { after: root }));
    expect(tree.roots.map(({ text }) => text)).to.deep.equal(['One', 'Two']);
    expect(elementsOf(tree, SCREEN).elements.map(({ text }) => text)).to.deep.equal(['One', 'Two']);
  });

  it('has messages without a place, which are no elements', () => {
    const toast = '<android.widget.Toast text="Saved" class="android.widget.Toast" package="com.android.settings" displayed="true" index="1" />'; // prettier-ignore
    const tree = parseDump(asSource(DUMP, { after: toast }));
    expect(tree.roots).to.have.length(2);
    expect(elementsOf(tree, SCREEN)).to.deep.equal(elementsOf(parseDump(DUMP), SCREEN));
  });

  it('turns with the screen', () => {
    expect(parseDump(asSource(DUMP.replace('rotation="0"', 'rotation="3"'))).rotation).to.equal(3);
  });
});
