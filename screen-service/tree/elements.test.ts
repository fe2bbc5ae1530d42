import { expect } from 'chai';
import { elementsOf, MAX_ELEMENTS, type ScreenContent } from './elements.js';
import { parseDump } from './parse-dump.js';

const SCREEN = { width: 720, height: 1280 };

/** Returns a node as uiautomator writes it; only the differences from an enabled plain view are named. */
function node(attributes: Record<string, string>, ...children: string[]): string {
  const all: Record<string, string> = {
    class: 'android.view.View',
    enabled: 'true',
    bounds: '[0,0][720,1280]',
    ...attributes,
  };
  const text = Object.entries(all).map(([name, value]) => ` ${name}="${value}"`);
  return children.length === 0 ? `<node${text.join('')} />` : `<node${text.join('')}>${children.join('')}</node>`;
}

const TEXT = 'android.widget.TextView';
const FRAME = 'android.widget.FrameLayout';

function read(...nodes: string[]): ScreenContent {
  return elementsOf(parseDump(`<hierarchy rotation="0">${nodes.join('')}</hierarchy>`), SCREEN);
}

describe('elements of a tree', () => {
  it('leave out layout containers and keep nodes that can be seen or used', () => {
    const { elements } = read(
      node(
        { class: FRAME },
        node(
          { class: 'android.widget.LinearLayout' },
          node({ class: TEXT, text: 'Notes', bounds: '[40,60][300,110]' }),
        ),
        node({ class: 'android.widget.ImageView', bounds: '[600,60][660,110]' }),
        node({
          class: 'android.widget.Button',
          text: 'Save',
          'content-desc': 'Save note',
          'resource-id': 'com.example.notes:id/save',
          clickable: 'true',
          bounds: '[40,1100][680,1196]',
        }),
      ),
    );
    expect(elements).to.deep.equal([
      {
        id: 'e1',
        role: 'text',
        text: 'Notes',
        label: '',
        resourceId: '',
        className: TEXT,
        bounds: { x: 40, y: 60, width: 260, height: 50 },
        words: ['Notes'],
        states: [],
      },
      {
        id: 'e2',
        role: 'button',
        text: 'Save',
        label: 'Save note',
        resourceId: 'com.example.notes:id/save',
        className: 'android.widget.Button',
        bounds: { x: 40, y: 1100, width: 640, height: 96 },
        words: ['Save', 'Save note'],
        states: ['clickable'],
      },
    ]);
  });

  it('show a row once, with the joined texts in it and the state of its switch', () => {
    const { elements, texts } = read(
      node(
        { class: 'androidx.recyclerview.widget.RecyclerView', scrollable: 'true' },
        node(
          { class: FRAME, clickable: 'true', bounds: '[0,100][720,220]' },
          node({ class: TEXT, text: 'Wi-Fi', bounds: '[40,110][400,160]' }),
          node({ class: TEXT, text: 'Connected', bounds: '[40,160][400,210]' }),
          node({ class: 'android.widget.Switch', checkable: 'true', checked: 'true', bounds: '[600,130][700,190]' }),
        ),
      ),
    );
    expect(elements.map(({ role, label }) => `${role}: ${label}`)).to.deep.equal([
      'list: ',
      'switch: Wi-Fi, Connected',
    ]);
    expect(elements[1]?.states).to.deep.equal(['clickable', 'checkable', 'checked']);
    expect(texts.map(({ text }) => text)).to.deep.equal(['Wi-Fi', 'Connected']);
  });

  it('keep a row and its switch apart when each can be tapped, and when there are two', () => {
    const toggle = (bounds: string, clickable: string): string =>
      node({ class: 'android.widget.Switch', checkable: 'true', clickable, bounds });
    const row = (...children: string[]): string =>
      node({ class: FRAME, clickable: 'true', bounds: '[0,100][720,220]' }, ...children);
    const roles = (content: ScreenContent): string[] => content.elements.map(({ role }) => role);
    expect(roles(read(row(toggle('[600,130][700,190]', 'true'))))).to.deep.equal(['group', 'switch']);
    expect(
      roles(read(row(toggle('[500,130][580,190]', 'false'), toggle('[600,130][700,190]', 'false')))),
    ).to.deep.equal(['group', 'switch', 'switch']);
  });

  it('keep the texts of a page apart even when the whole page can be clicked', () => {
    const { elements } = read(
      node(
        { class: FRAME, clickable: 'true' },
        node({ class: TEXT, text: 'One', bounds: '[0,100][720,150]' }),
        node({ class: TEXT, text: 'Two', bounds: '[0,200][720,250]' }),
      ),
    );
    expect(elements.map(({ text }) => text)).to.deep.equal(['', 'One', 'Two']);
  });

  it('leave out a password, even its length', () => {
    const { elements, texts } = read(
      node({
        class: 'android.widget.EditText',
        text: '•••••',
        hint: 'Password',
        password: 'true',
        bounds: '[0,100][720,200]',
      }),
    );
    expect(elements[0]).to.include({ role: 'textfield', text: '', label: 'Password' });
    expect(elements[0]?.states).to.include.members(['editable', 'password']);
    expect(JSON.stringify(texts)).not.to.contain('•');
  });

  it('take the hint of an empty field for its label', () => {
    const { elements } = read(
      node({ class: 'android.widget.EditText', text: 'Search', hint: 'Search', bounds: '[0,0][720,90]' }),
    );
    expect(elements[0]).to.include({ text: '', label: 'Search' });
  });

  it('keep hint and content description of a field side by side, and find it by either', () => {
    const { elements, texts } = read(
      node({
        class: 'android.widget.EditText',
        text: 'me@example.com',
        hint: 'Email',
        'content-desc': 'input-email',
        bounds: '[0,0][720,90]',
      }),
    );
    expect(elements[0]).to.include({ text: 'me@example.com', label: 'input-email, Email' });
    expect(texts.map(({ text }) => text)).to.deep.equal(['me@example.com', 'input-email', 'Email']);
  });

  it('keep the hint of an empty password field that dumps it as its text', () => {
    const { elements } = read(
      node({
        class: 'android.widget.EditText',
        text: 'Password',
        hint: 'Password',
        password: 'true',
        bounds: '[0,0][720,90]',
      }),
    );
    expect(elements[0]).to.include({ text: '', label: 'Password' });
  });

  it('join texts and content descriptions in a row', () => {
    const { elements } = read(
      node(
        { class: FRAME, clickable: 'true', bounds: '[0,100][720,220]' },
        node({ class: TEXT, text: 'Inbox', bounds: '[40,110][400,160]' }),
        node({ class: TEXT, text: '3', 'content-desc': '3 unread messages', bounds: '[600,110][700,160]' }),
        node({ class: TEXT, text: '9:41', 'content-desc': 'Received', bounds: '[600,170][700,200]' }),
      ),
    );
    expect(elements.map(({ label }) => label)).to.deep.equal(['Inbox, 3 unread messages, 9:41, Received']);
  });

  it('cut nodes that reach over the edge and drop those outside or empty', () => {
    const { elements } = read(
      node({ class: TEXT, text: 'over', bounds: '[-50,1200][400,1400]' }),
      node({ class: TEXT, text: 'outside', bounds: '[0,1300][400,1400]' }),
      node({ class: TEXT, text: 'empty', bounds: '[10,10][10,40]' }),
    );
    expect(elements.map(({ text }) => text)).to.deep.equal(['over']);
    expect(elements[0]?.bounds).to.deep.equal({ x: 0, y: 1200, width: 400, height: 80 });
  });

  it('drop nodes under a sibling that takes the touches, and none under a transparent frame', () => {
    const under = node({ class: TEXT, text: 'under', bounds: '[0,100][720,200]', 'drawing-order': '1' });
    const sheet = (clickable: string) =>
      node(
        { class: FRAME, clickable, 'drawing-order': '2' },
        node({ class: TEXT, text: 'above', bounds: '[0,700][720,800]' }),
      );
    expect(read(under, sheet('true')).elements.map(({ text }) => text)).not.to.include('under');
    expect(read(under, sheet('false')).elements.map(({ text }) => text)).to.include('under');
  });

  it('come in reading order, with any order of the tree', () => {
    const at = (text: string, bounds: string): string => node({ class: TEXT, text, bounds });
    const { elements } = read(
      at('last', '[0,900][100,950]'),
      at('right', '[400,105][500,150]'),
      at('left', '[0,110][100,150]'),
      at('top', '[0,0][100,50]'),
    );
    expect(elements.map(({ text }) => text)).to.deep.equal(['top', 'left', 'right', 'last']);
    expect(elements.map(({ id }) => id)).to.deep.equal(['e1', 'e2', 'e3', 'e4']);
  });

  it('come in reading order beside a background of full size', () => {
    const at = (text: string, bounds: string): string => node({ class: TEXT, text, bounds });
    const { elements } = read(
      node({ class: 'android.widget.ImageView', 'content-desc': 'background' }),
      at('third', '[0,200][100,250]'),
      at('second', '[300,10][400,60]'),
      at('first', '[100,20][200,60]'),
    );
    expect(elements.map(({ text, label }) => text || label)).to.deep.equal(['background', 'first', 'second', 'third']);
  });

  it('are at most 300, with a flag when there were more', () => {
    const many = Array.from({ length: MAX_ELEMENTS + 1 }, (_, at) =>
      node({ class: TEXT, text: `t${at}`, bounds: `[0,${at * 4}][100,${at * 4 + 4}]` }),
    );
    expect(read(...many.slice(1))).to.include({ truncated: false });
    const { elements, truncated } = read(...many);
    expect(elements).to.have.length(MAX_ELEMENTS);
    expect(truncated).to.equal(true);
  });

  it('are as good as none while a screen loads', () => {
    const spinner = node({ class: 'android.widget.ProgressBar', bounds: '[300,600][420,720]' });
    expect(read(node({ class: FRAME }, spinner)).empty).to.equal(true);
    expect(read(spinner, node({ class: TEXT, text: 'Almost there', bounds: '[0,0][99,99]' })).empty).to.equal(false);
    expect(read().empty).to.equal(true);
  });
});
