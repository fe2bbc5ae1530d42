import { expect } from 'chai';
import { parseDump } from '../../testing/phone/parse-dump.js';
import { sharedDrawing } from '../../testing/phone/screen-world.js';
import { column, overlay } from './containers.js';
import { dumpXml, quoted } from './dump-xml.js';
import { scroll } from './scroll.js';
import { text } from './text-view.js';
import { View } from './view.js';
import { placed } from './visible-views.js';

const DISPLAY = { left: 0, top: 0, width: 360, height: 640 };

function dump(root: View, compressed = false): string {
  root.layout({ text: sharedDrawing.text, fontScale: 1, nowMs: 0 }, DISPLAY);
  return dumpXml({
    root: placed(root, { x: 0, y: 0 }, DISPLAY, 0),
    clip: DISPLAY,
    package: 'com.x',
    rotation: 0,
    scale: 2,
    nowMs: 0,
    compressed,
  });
}

describe('the dump', () => {
  it('is written byte for byte as uiautomator writes it', () => {
    const root = overlay({}, [
      new View({ id: 'box', width: 10, height: 20, description: 'Box', onClick: () => undefined }),
    ]);
    expect(dump(root)).to.equal(
      "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation=\"0\">" +
        '<node index="0" text="" resource-id="" class="android.widget.FrameLayout" package="com.x" content-desc=""' +
        ' checkable="false" checked="false" clickable="false" enabled="true" focusable="false" focused="false"' +
        ' scrollable="false" long-clickable="false" password="false" selected="false" bounds="[0,0][720,1280]"' +
        ' drawing-order="1" hint="" display-id="0">' +
        '<node index="0" text="" resource-id="com.x:id/box" class="android.view.View" package="com.x"' +
        ' content-desc="Box" checkable="false" checked="false" clickable="true" enabled="true" focusable="true"' +
        ' focused="false" scrollable="false" long-clickable="false" password="false" selected="false"' +
        ' bounds="[0,0][20,40]" drawing-order="1" hint="" display-id="0" /></node></hierarchy>',
    );
  });

  it('quotes by the other kind when a value holds a double quote', () => {
    expect(quoted('plain')).to.equal('"plain"');
    expect(quoted("it's")).to.equal('"it\'s"');
    expect(quoted('say "hi"')).to.equal(`'say "hi"'`);
    expect(quoted(`both " and '`)).to.equal(`'both " and &apos;'`);
  });

  it('escapes markup, line breaks and characters beyond the basic plane', () => {
    expect(quoted('a<b>&c')).to.equal('"a&lt;b&gt;&amp;c"');
    expect(quoted('a\nb\tc\rd')).to.equal('"a&#10;b&#9;c&#13;d"');
    expect(quoted('😀')).to.equal('"&#128512;"');
    expect(quoted('Ελ é')).to.equal('"Ελ é"');
  });

  it('puts a dot for characters that XML cannot hold', () => {
    expect(quoted('a\u0007b\u001bc\u007fd\u0086e\ufdd0f\ud800g')).to.equal('"a.b.c.d.e.f.g"');
    expect(quoted('\u0085')).to.equal('"\u0085"');
  });

  it('is XML to a parser of someone else, with the values as they were', () => {
    const values = ['say "hi"', `both " and '`, '<b>&amp;</b>', 'a\nb\tc', '😀 ❤️', "it's"];
    const xml = dump(
      column(
        {},
        values.map((value) => text(value, { height: 10 })),
      ),
    );
    expect(
      parseDump(xml)
        .slice(1)
        .map(({ attributes }) => attributes['text']),
    ).to.deep.equal(values);
  });

  it('marks a clickable view without a name, and none whose child has a name', () => {
    const click = (): void => undefined;
    const nameless = new View({ width: 10, height: 10, onClick: click });
    const named = column({ onClick: click }, [text('Name')]);
    const disabled = new View({ width: 10, height: 10, onClick: click, enabled: false });
    const xml = dump(column({}, [nameless, named, disabled]));
    expect(xml.match(/<node NAF="true" index/g)).to.have.length(1);
    expect(parseDump(xml)[1]?.attributes['NAF']).to.equal('true');
  });

  it('leaves out invisible nodes and keeps counting them', () => {
    const hidden = text('Hidden', { visible: false });
    const xml = dump(column({}, [text('One'), hidden, text('Three')]));
    const nodes = parseDump(xml).slice(1);
    expect(nodes.map(({ attributes }) => attributes['text'])).to.deep.equal(['One', 'Three']);
    expect(nodes.map(({ attributes }) => attributes['index'])).to.deep.equal(['0', '2']);
  });

  it('cuts bounds at the scroll around them and skips nodes that are scrolled away', () => {
    const rows = [0, 1, 2, 3].map((at) => new View({ width: 'fill', height: 60, description: `row ${at}` }));
    const pane = scroll({ height: 100 }, column({ width: 'fill' }, rows));
    const root = overlay({}, [pane]);
    dump(root);
    pane.offset = 20;
    const seen = parseDump(dump(root)).filter(({ attributes }) => attributes['content-desc']?.startsWith('row'));
    expect(seen.map(({ attributes }) => attributes['bounds'])).to.deep.equal(['[0,0][720,80]', '[0,80][720,200]']);
  });

  it('folds away views that matter to layout only when compressed', () => {
    const xml = dump(overlay({}, [column({}, [column({}, [text('Deep')]), text('Flat')])]), true);
    const nodes = parseDump(xml);
    expect(nodes.map(({ attributes, depth }) => [depth, attributes['text'], attributes['index']])).to.deep.equal([
      [0, '', '0'],
      [1, 'Deep', '0'],
      [1, 'Flat', '1'],
    ]);
  });
});
