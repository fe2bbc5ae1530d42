import { expect } from 'chai';
import { asSource } from '../testing/as-source.js';
import { elementsOf } from './elements.js';
import { elementsText } from './elements-text.js';
import { parseDump } from './parse-dump.js';
import type { UiNode } from '../shapes/ui-node.js';

/** Returns a node of a class (without android.widget) at bounds. Attributes are those that differ from an enabled plain view. */
function node(type: string, bounds: string, attributes: Record<string, string> = {}, ...children: string[]): string {
  const className = type.includes('.') ? type : `android.${type === 'View' ? 'view' : 'widget'}.${type}`;
  const all = { class: className, package: 'com.x', enabled: 'true', bounds, ...attributes };
  const text = Object.entries(all).map(([name, value]) => ` ${name}="${value}"`);
  return `<node${text.join('')}>${children.join('')}</node>`;
}

const tap = { clickable: 'true', focusable: 'true' };
const text = (words: string, bounds: string, attributes: Record<string, string> = {}): string =>
  node('TextView', bounds, { text: words, ...attributes });
/** Returns the child that only states a control's role: Compose adds one to controls with contents. */
const marker = (type: string, bounds: string): string => node(type, bounds);

interface Shape {
  what: string;
  screen: { width: number; height: number };
  nodes: string;
  lines: string[];
}

// The ways in which toolkits build common screens, as their dumps show them.
const shapes: Shape[] = [
  {
    what: 'a Compose drawer: buttons with an icon, one of them disabled, and a field with its label inside',
    screen: { width: 1080, height: 2340 },
    nodes: node(
      'androidx.compose.ui.platform.ComposeView',
      '[0,0][1080,2340]',
      {},
      node('View', '[840,0][1080,2340]', { 'content-desc': 'Close menu', ...tap }),
      node(
        'View',
        '[0,0][840,2340]',
        { 'drawing-order': '1' },
        text('Library', '[42,123][275,219]'),
        node(
          'EditText',
          '[42,261][798,441]',
          { ...tap, 'long-clickable': 'true' },
          text('Address', '[84,327][313,399]'),
        ),
        node(
          'View',
          '[42,474][409,600]',
          { ...tap, enabled: 'false' },
          node('View', '[154,510][207,563]', { 'content-desc': 'Add' }),
          text('Add', '[218,506][297,568]'),
          marker('Button', '[42,484][409,589]'),
        ),
        node(
          'View',
          '[430,473][798,639]',
          tap,
          node('View', '[493,533][540,580]', { 'content-desc': 'From a file' }),
          text('Open', '[551,494][735,618]'),
          marker('Button', '[430,473][798,639]'),
        ),
      ),
    ),
    lines: [
      'e1 text "Library" @158,171',
      'e2 textfield "Address" @420,351',
      'e3 button "Add" @225,537 disabled',
      'e4 button "From a file, Open" @614,556',
      'e5 button "Close menu" @960,1170',
    ],
  },
  {
    what: 'Compose settings: rows that are switches and radio buttons as a whole',
    screen: { width: 1080, height: 2400 },
    nodes: node(
      'View',
      '[0,200][1080,2400]',
      { scrollable: 'true' },
      node(
        'View',
        '[0,200][1080,400]',
        { ...tap, checkable: 'true', checked: 'true' },
        text('Dark theme', '[40,220][600,280]'),
        text('Saves power', '[40,290][600,340]'),
        marker('Switch', '[900,260][1040,340]'),
      ),
      node(
        'View',
        '[0,400][1080,560]',
        { ...tap, checkable: 'true' },
        text('Daily', '[140,440][600,520]'),
        marker('RadioButton', '[20,440][120,520]'),
      ),
    ),
    lines: [
      'e1 list @540,1300 scrollable',
      'e2 switch "Dark theme, Saves power" @540,300 checked',
      'e3 radio "Daily" @540,480',
    ],
  },
  {
    what: 'a Flutter page: descriptions of several lines, an icon without words, and tabs',
    screen: { width: 1080, height: 2400 },
    nodes: node(
      'View',
      '[0,0][1080,2352]',
      {},
      node(
        'ScrollView',
        '[0,110][1080,2112]',
        { scrollable: 'true' },
        node('View', '[60,194][900,353]', { 'content-desc': 'Good evening,&#10;Mara' }),
        node('Button', '[903,221][1017,335]', tap),
        node('View', '[63,416][1017,824]', { 'content-desc': 'Next&#10;Room 305', ...tap }),
        node('View', '[131,1154][270,1238]', { 'content-desc': '82%' }),
        node('View', '[405,1154][448,1238]', { 'content-desc': '3' }),
        node('View', '[101,1244][299,1283]', { 'content-desc': 'Attendance' }),
        node('View', '[352,1244][502,1283]', { 'content-desc': 'Lectures' }),
      ),
      node('Button', '[0,2112][540,2352]', { 'content-desc': 'Home&#10;Tab 1 of 2', selected: 'true', ...tap }),
      node('Button', '[540,2112][1080,2352]', { 'content-desc': 'Profile&#10;Tab 2 of 2', ...tap }),
    ),
    lines: [
      'e1 list @540,1111 scrollable',
      'e2 text "Good evening,\\nMara" @480,273',
      'e3 button @960,278',
      'e4 button "Next\\nRoom 305" @540,620',
      'e5 text "82%" @200,1196',
      'e6 text "3" @426,1196',
      'e7 text "Attendance" @200,1263',
      'e8 text "Lectures" @427,1263',
      'e9 button "Home\\nTab 1 of 2" @270,2232 selected',
      'e10 button "Profile\\nTab 2 of 2" @810,2232',
    ],
  },
  {
    what: 'the first page of Settings: a card in a grid, and rows with icon, title and summary in nested lists',
    screen: { width: 1080, height: 2400 },
    nodes: node(
      'ScrollView',
      '[0,88][1080,2284]',
      { scrollable: 'true', 'resource-id': 'com.x:id/home' },
      node(
        'FrameLayout',
        '[0,88][1080,512]',
        { text: 'Settings', 'content-desc': 'Settings' },
        node(
          'android.view.ViewGroup',
          '[0,319][1080,512]',
          { ...tap, 'resource-id': 'com.x:id/search_bar' },
          node('Button', '[912,374][1044,506]', { 'content-desc': 'Search settings', ...tap }),
        ),
      ),
      node(
        'GridView',
        '[30,542][1050,808]',
        {},
        node(
          'androidx.cardview.widget.CardView',
          '[30,570][1050,780]',
          { 'content-desc': 'Show', ...tap },
          text('Suggestions:', '[85,625][945,669]'),
        ),
      ),
      node(
        'androidx.recyclerview.widget.RecyclerView',
        '[0,863][1080,2284]',
        {},
        node(
          'LinearLayout',
          '[0,891][1080,1158]',
          tap,
          node('ImageView', '[63,980][151,1068]', { 'resource-id': 'android:id/icon' }),
          text('Network &amp; internet', '[198,941][630,1004]'),
          text('Wi-Fi, Hotspot', '[198,1004][1036,1108]'),
        ),
      ),
    ),
    lines: [
      'e1 list #home @540,1186 scrollable',
      'e2 group "Settings" @540,300 static',
      'e3 group #search_bar @540,415',
      'e4 button "Search settings" @978,440',
      'e5 group "Show" @540,675',
      'e6 text "Suggestions:" @515,647',
      'e7 group "Network & internet, Wi-Fi, Hotspot" @540,1024',
    ],
  },
  {
    what: 'a React Native list: rows that repeat their texts in a description, with a button of their own',
    screen: { width: 720, height: 1280 },
    nodes: node(
      'ScrollView',
      '[0,100][720,1280]',
      { scrollable: 'true' },
      node(
        'android.view.ViewGroup',
        '[0,100][720,220]',
        { ...tap, 'content-desc': 'Milk, 2 litres' },
        text('Milk', '[20,110][200,150]'),
        text('2 litres', '[20,160][200,200]'),
        node('android.view.ViewGroup', '[600,120][700,200]', tap, text('Delete', '[620,140][680,180]')),
      ),
    ),
    lines: ['e1 list @360,690 scrollable', 'e2 group "Milk, 2 litres" @360,160', 'e3 group "Delete" @650,160'],
  },
  {
    what: 'a question of the system: title, message and buttons, the last one over the edge',
    screen: { width: 1080, height: 2160 },
    nodes: node(
      'FrameLayout',
      '[40,700][1040,1460]',
      {},
      text('Allow access?', '[90,800][990,870]', { 'resource-id': 'com.android.permissioncontroller:id/title' }),
      node('Button', '[90,1000][990,1120]', { text: 'While using the app', ...tap }),
      node('Button', '[90,1130][990,1250]', { text: 'Don’t allow', ...tap }),
      node('ImageButton', '[1000,710][1100,800]', { ...tap, 'resource-id': 'com.x:id/close' }),
      node('ImageView', '[0,0][0,0]', { 'content-desc': 'not drawn', ...tap }),
    ),
    lines: [
      'e1 button #close @1040,755',
      'e2 text "Allow access?" @540,835',
      'e3 button "While using the app" @540,1060',
      'e4 button "Don’t allow" @540,1190',
    ],
  },
  {
    what: 'a web page: links, fields and a checkbox of a WebView',
    screen: { width: 1080, height: 2160 },
    nodes: node(
      'android.webkit.WebView',
      '[0,200][1080,2160]',
      { text: 'Sign in', scrollable: 'true' },
      node('View', '[40,300][500,360]', { text: 'Welcome back' }),
      node('EditText', '[40,400][1040,500]', { hint: 'E-mail', text: '', 'resource-id': 'email', ...tap }),
      node('EditText', '[40,520][1040,620]', { hint: 'Password', password: 'true', text: '••••', ...tap }),
      node('CheckBox', '[40,640][500,700]', { text: 'Remember me', checkable: 'true', ...tap }),
      node('Button', '[40,720][1040,820]', { text: 'Sign in', ...tap }),
      node('View', '[40,840][300,890]', { 'content-desc': 'Forgotten?', ...tap }),
    ),
    lines: [
      'e1 webview "Sign in" @540,1180 scrollable',
      'e2 text "Welcome back" @270,330',
      'e3 textfield "E-mail" @540,450',
      'e4 textfield "Password" @540,570 password',
      'e5 checkbox "Remember me" @270,670',
      'e6 button "Sign in" @540,770',
      'e7 button "Forgotten?" @170,865',
    ],
  },
];

describe('the elements of', () => {
  for (const { what, screen, nodes, lines } of shapes) {
    const tree = parseDump(`<hierarchy rotation="0">${nodes}</hierarchy>`);
    const { elements } = elementsOf(tree, screen);

    it(`${what}, line by line`, () => {
      expect(elementsText(elements).split('\n')).to.deep.equal(lines);
    });

    it(`${what}, the same from the UiAutomator2 server`, () => {
      const source = asSource(`<hierarchy rotation="0">${nodes}</hierarchy>`);
      expect(elementsOf(parseDump(source), screen).elements).to.deep.equal(elements);
    });

    it(`${what}, with every thing that can be tapped`, () => {
      const tappable = [...allNodes(tree.roots)].filter(
        ({ clickable, left, right, top, bottom }) => clickable && right > left && bottom > top,
      );
      expect(tappable.length).to.be.greaterThan(1);
      for (const { left, top } of tappable) {
        const listed = elements.some(
          ({ bounds, states }) => bounds.x === left && bounds.y === top && states.includes('clickable'),
        );
        expect(listed, `what is at ${left}, ${top}`).to.equal(true);
      }
    });
  }
});

function* allNodes(nodes: readonly UiNode[]): Generator<UiNode, void, undefined> {
  for (const one of nodes) {
    yield one;
    yield* allNodes(one.children);
  }
}
