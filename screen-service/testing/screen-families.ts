import type { OwnSteps } from '../tree/what-may-differ.js';
import type { UiNode, UiTree } from '../shapes/ui-node.js';
import { type NodeInit, uiButton, uiNode, uiText, uiTree } from './ui-trees.js';

/** A screen that was seen, and the same window some time later. Things of both are the same where they have the same name in `places`. */
export interface Try {
  family: string;
  before: Screen;
  now: Screen;
  passedMs: number;
  /** The time of the day of the phone at both screens, s since midnight. Absent: it is not known. */
  timesS?: readonly [number, number];
  /** Things that the caller has pressed in between. Empty: it did another step. Absent: nobody acted. */
  pressed?: readonly string[];
  /** Texts that the caller has typed in between. Absent: none. */
  typed?: readonly string[];
  /** The caller's strokes in between. Absent: none. */
  strokes?: OwnSteps['strokes'];
  /** Whether everything that is on both screens must be found. */
  unchanged: boolean;
}

/** A tree, and the place of each thing in it by its name in the test's world. The tree does not show that name. */
export interface Screen {
  tree: UiTree;
  places: ReadonlyMap<string, UiNode>;
}

export type Random = () => number;

/** Returns a generator of numbers from 0 to 1; the same seed makes the same numbers. */
export function seeded(seed: number): Random {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

export class World {
  readonly places = new Map<string, UiNode>();

  /** Names a node as a thing of the world. */
  is(name: string, node: UiNode): UiNode {
    this.places.set(name, node);
    return node;
  }

  screen(...nodes: UiNode[]): Screen {
    return { tree: uiTree(...nodes), places: this.places };
  }
}

const ALIKE = [
  'Louis',
  'Louis I',
  'Louis II',
  'Louis III',
  'Pay',
  'Pay!',
  'Pay now',
  'Meeting',
  'Meeting ',
  'Item 1',
  'Item 11',
];

export function pick<T>(random: Random, all: readonly T[]): T {
  const one = all[Math.floor(random() * all.length)];
  if (one === undefined) throw new Error('nothing to choose from');
  return one;
}

/** Two different texts, mostly alike. */
function two(random: Random): [string, string] {
  const first = pick(random, ALIKE);
  let second = pick(random, ALIKE);
  while (second.trim() === first.trim()) second = pick(random, ALIKE);
  return [first, second];
}

export type Make = (random: Random) => Omit<Try, 'family' | 'unchanged' | 'passedMs'> & Partial<Pick<Try, 'passedMs'>>;

/** Another page of the same window, with the same buttons in the same places. */
const pages: Make = (random) => {
  const [first, second] = two(random);
  const layout = pick(random, ['plain', 'web', 'bottom bar', 'field']);
  const samePrice = random() < 0.5;
  const taller = random() < 0.3 ? 60 : 0;
  const page = (title: string, price: string, more: number): Screen => {
    const world = new World();
    const buy = (y: number) => world.is(`buy ${title}`, uiButton('Buy', [40, y, 200, 80]));
    const heading = layout === 'field' ? field('Name', title, [0, 110, 720, 90]) : uiText(title, [0, 110, 720, 60]);
    const top = [world.is(`back ${title}`, uiButton('Back', [0, 50, 100, 60])), uiText('Shop', [100, 50, 600, 60])];
    const content = [heading, uiText(price, [0, 210, 720, 60]), uiText('Free delivery', [0, 280 + more, 720, 60])];
    const after = uiText('All rights reserved', [0, 600 + more, 720, 60]);
    const scroll = (className: string, height: number, ...nodes: UiNode[]) =>
      uiNode(className, { at: [0, 50, 720, height], scrollable: true }, ...nodes);
    if (layout === 'web')
      return world.screen(scroll('android.webkit.WebView', 1_200, ...top, ...content, buy(400 + more), after));
    if (layout === 'bottom bar')
      return world.screen(...top, scroll('ScrollView', 1_050, ...content, after), buy(1_150));
    return world.screen(...top, ...content, buy(400 + more), after);
  };
  return { before: page(first, '$10', 0), now: page(second, samePrice ? '$10' : '$12', taller) };
};

export function field(hint: string, text: string, at: NodeInit['at'], focused = false): UiNode {
  return uiNode('EditText', { at, text, hint, clickable: true, longClickable: true, focusable: true, focused });
}

interface Row {
  /** The name in the test's world: two rows with the same texts have different names. */
  name: string;
  title: string;
  detail: string;
}

type RowLayout = 'row' | 'card' | 'flat';

const ROW_HEIGHT = 120;

/** The part of a list that is on the screen. */
function list(heading: string, rows: readonly Row[], layout: RowLayout, shown: number): Screen {
  const world = new World();
  const nodes = rows.slice(0, shown).flatMap(({ name, title, detail }, at) => {
    const y = 200 + at * ROW_HEIGHT;
    const words = [
      uiText(title, [20, y + 5, 400, 50]),
      ...(detail === '' ? [] : [uiText(detail, [20, y + 55, 400, 40])]),
    ];
    const remove = world.is(
      `delete ${name}`,
      uiButton('Delete', layout === 'card' ? [20, y + 70, 200, 48] : [500, y + 20, 200, 80]),
    );
    if (layout === 'flat') return [...words, remove];
    const open = uiNode('LinearLayout', { at: [0, y, 720, ROW_HEIGHT], clickable: layout === 'row' }, ...words, remove);
    return [layout === 'row' ? world.is(`open ${name}`, open) : open];
  });
  const add = world.is(`add to ${heading}`, uiButton('Add', [520, 1_150, 180, 100]));
  const all = uiNode(
    'androidx.recyclerview.widget.RecyclerView',
    { at: [0, 200, 720, shown * ROW_HEIGHT], scrollable: true },
    ...nodes,
  );
  return world.screen(uiText(heading, [0, 60, 720, 80]), all, add);
}

const LAYOUTS: readonly RowLayout[] = ['row', 'card', 'flat'];

/** Rows with different titles that begin alike. One row is removed, or the list is scrolled. */
const movedLists: Make = (random) => {
  const layout = pick(random, LAYOUTS);
  const titles = ALIKE.map((title) => title.trim()).filter((title, at, all) => all.indexOf(title) === at);
  const rows = Array.from({ length: 9 }, (_, at): Row => {
    const title = titles[(at + Math.floor(random() * 2)) % titles.length] ?? '';
    return { name: `${at}`, title, detail: pick(random, ['', 'King', `${10 + at}:00`]) };
  });
  return { before: list('Kings', rows, layout, 6), now: list('Kings', changed(random, rows), layout, 6) };
};

/** The rows after one was removed, or added, or after scrolling. */
function changed(random: Random, rows: readonly Row[]): Row[] {
  const kind = pick(random, ['first', 'any', 'scrolled', 'added']);
  if (kind === 'first') return rows.slice(1);
  if (kind === 'scrolled') return rows.slice(1 + Math.floor(random() * 4));
  const at = Math.floor(random() * 5);
  if (kind === 'any') return rows.filter((_, index) => index !== at);
  const title = pick(random, rows).title;
  return [...rows.slice(0, at), { name: 'new', title, detail: '' }, ...rows.slice(at)];
}

/** Many rows with the same title, some with a detail that differs. */
const equalRows: Make = (random) => {
  const layout = pick(random, LAYOUTS);
  const length = 4 + Math.floor(random() * 6);
  const kind = pick(random, ['one', 'hours', 'minutes']);
  const rows = Array.from({ length }, (_, at): Row => {
    const detail = kind === 'one' ? 'Room 4' : kind === 'hours' ? `${8 + at}:00` : `8:0${at}`;
    return { name: `${at}`, title: 'Meeting', detail };
  });
  if (random() < 0.5) rows[length - 1] = { name: 'last', title: 'Lunch', detail: '12:00' };
  // Lists of equal rows often differ only in their length. So twelve places show all rows.
  const after = changed(random, rows);
  return { before: list('Today', rows, layout, 12), now: list('Today', after, layout, 12) };
};

/** The same list under another heading, or another list under the same heading beside the same button. */
const otherLists: Make = (random) => {
  const [first, second] = two(random);
  const rows = (title: string) =>
    [0, 1, 2, 3].map((at): Row => ({ name: `${title} ${at}`, title: `${title} ${at}`, detail: '' }));
  const layout = pick(random, LAYOUTS);
  if (random() < 0.5) {
    const same = rows('Row');
    return {
      before: list(first, same, layout, 6),
      now: list(
        second,
        same.map((row) => ({ ...row, name: `other ${row.name}` })),
        layout,
        6,
      ),
    };
  }
  const now = list('Rows', rows(second), layout, 6);
  const places = new Map(
    [...now.places].map(([name, node]) => [name.startsWith('add') ? 'add to others' : name, node]),
  );
  return { before: list('Rows', rows(first), layout, 6), now: { ...now, places } };
};

/** A question in a layer of the same window, and then another question, or the page without one. */
const dialogs: Make = (random) => {
  const [first, second] = two(random);
  const question = (subject: string): Screen => {
    const world = new World();
    return world.screen(
      uiText('Notes', [0, 60, 720, 80]),
      uiText(`Delete ${subject}?`, [100, 500, 500, 80]),
      world.is(`cancel ${subject}`, uiButton('Cancel', [100, 600, 200, 80])),
      world.is(`delete ${subject}`, uiButton('Delete', [400, 600, 200, 80])),
    );
  };
  if (random() < 0.4) {
    const world = new World();
    const remove = uiButton('Delete', [400, 600, 200, 80]);
    const page = world.screen(
      uiText('Notes', [0, 60, 720, 80]),
      uiText(first, [0, 200, 720, 80]),
      world.is('delete page', remove),
    );
    return random() < 0.5 ? { before: page, now: question(first) } : { before: question(first), now: page };
  }
  return { before: question(first), now: question(second) };
};

/** Tabs: another one is selected, whose page has the same buttons. */
const tabs: Make = (random) => {
  const empty = random() < 0.5;
  const page = (selected: number): Screen => {
    const world = new World();
    const names = ['Inbox', 'Archive', 'Trash'];
    const bar = names.map((name, at) =>
      world.is(
        name,
        uiNode('FrameLayout', {
          at: [at * 240, 1_150, 240, 100],
          clickable: true,
          selected: at === selected,
          description: name,
        }),
      ),
    );
    const body = uiText(empty ? 'Nothing here' : `${names[selected] ?? ''} of Ada`, [0, 300, 720, 80]);
    return world.screen(body, world.is(`clear ${selected}`, uiButton('Clear', [0, 500, 300, 80])), ...bar);
  };
  return { before: page(0), now: page(1 + Math.floor(random() * 2)) };
};

/** The alarm of one time, then of another. */
const alarms: Make = (random) => {
  const page = (time: string): Screen => {
    const world = new World();
    return world.screen(
      uiText(time, [200, 200, 320, 120]),
      uiText('Every day', [0, 400, 720, 60]),
      world.is(`delete ${time}`, uiButton('Delete', [40, 600, 200, 80])),
    );
  };
  const [first, second] = random() < 0.5 ? ['7:00', '7:30'] : ['07:00 AM', '07:00 PM'];
  return { before: page(first), now: page(second), passedMs: Math.floor(random() * 20_000) };
};

/** The keyboard opens: fields and buttons move, and others are covered. */
const keyboards: Make = (random) => {
  const rows = Math.floor(random() * 4) + 2;
  const page = (open: boolean): Screen => {
    const world = new World();
    const labels = Array.from({ length: rows }, (_, at) => uiText(`Line ${at}`, [0, 500 + at * 80, 720, 60])).filter(
      ({ bottom }) => !open || bottom < 730,
    );
    const y = open ? 740 : 1_150;
    return world.screen(
      world.is('back', uiButton('Back', [0, 50, 100, 60])),
      uiText('Ada', [100, 50, 600, 60]),
      ...labels,
      world.is('field', field('Message', '', [0, y, 520, 100], open)),
      world.is('send', uiButton('Send', [520, y, 200, 100])),
    );
  };
  return random() < 0.5 ? { before: page(false), now: page(true) } : { before: page(true), now: page(false) };
};

/** The parts of a screen that change by themselves. */
interface Noise {
  clock: string;
  badge: string;
}

/** A screen with lists, tabs, fields and a clock, on which only the noise changes. */
function homeScreen(seed: number, { clock, badge }: Noise): Screen {
  const random = seeded(seed);
  const world = new World();
  const rows = Array.from({ length: 3 + Math.floor(random() * 4) }, (_, at) => {
    const y = 300 + at * 100;
    const inner = random() < 0.5 ? [uiNode('Switch', { at: [600, y, 100, 90], checkable: true })] : [];
    const title = uiText(random() < 0.3 ? 'Meeting' : `Row ${at}`, [20, y, 400, 45]);
    return world.is(
      `row ${at}`,
      uiNode(
        'LinearLayout',
        { at: [0, y, 720, 98], clickable: true },
        title,
        uiText(pick(random, ['On', '8:00', '']), [20, y + 50, 400, 40]),
        ...inner,
      ),
    );
  });
  const bar = ['Chats', 'Calls', 'People'].map((name, at) => {
    const count = uiText(badge, [at * 240 + 140, 1_155, 36, 36]);
    const inBadge = at === 0 && badge !== '' ? [count] : [];
    const label = uiText(name, [at * 240 + 60, 1_200, 120, 40]);
    return world.is(
      name,
      uiNode(
        'FrameLayout',
        { at: [at * 240, 1_150, 240, 100], clickable: true, selected: at === 0 },
        label,
        ...inBadge,
      ),
    );
  });
  const icons = [0, 1].map((at) =>
    world.is(`icon ${at}`, uiNode('ImageButton', { at: [500 + at * 100, 60, 90, 90], clickable: true })),
  );
  const inbox = world.is('inbox', uiButton(`Inbox (${badge === '' ? 0 : badge})`, [0, 220, 300, 70]));
  return world.screen(
    uiText(clock, [20, 0, 200, 50]),
    ...icons,
    world.is('search', field('Search', '', [0, 140, 720, 70])),
    inbox,
    uiNode('ListView', { at: [0, 300, 720, 840], scrollable: true }, ...rows),
    ...bar,
  );
}

/** A screen that stays as it is, except for a clock that shows the time of the day, and for a badge. */
function quiet(random: Random, [first, second]: readonly [Noise, Noise]): ReturnType<Make> {
  const seed = Math.floor(random() * 1e9);
  const passedMs = Math.floor(random() * 50_000);
  const minuteOf = ({ clock }: Noise): number =>
    clock.split(':').reduce((minutes, part) => minutes * 60 + Number(part), 0);
  const timesS = [minuteOf(first) * 60 + 59, minuteOf(second) * 60] as const;
  return { before: homeScreen(seed, first), now: homeScreen(seed, second), passedMs, timesS };
}

const clockAt = (minutes: number): string => `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`;

/** The number on a tab has changed. The number may be a quantity, so most elements are refused. Elements that are found must be right. */
const badges: Make = (random) => {
  const [first, second] = [random() < 0.3 ? '' : '3', String(Math.floor(random() * 99) + 1)];
  return quiet(random, [
    { clock: '8:41', badge: first },
    { clock: '8:41', badge: second },
  ]);
};

/** Families in which something else has taken the place of what was seen, or may have. */
const OTHERS = { pages, movedLists, equalRows, otherLists, dialogs, tabs, alarms, keyboards, badges };

/** Families of screens that stay as they are, except for a clock. */
const QUIET = {
  unchanged: (random: Random) =>
    quiet(random, [
      { clock: '8:41', badge: '3' },
      { clock: '8:41', badge: '3' },
    ]),
  clock: (random: Random) => {
    const minute = Math.floor(random() * 1_300) + 60;
    return quiet(random, [
      { clock: clockAt(minute), badge: '3' },
      { clock: clockAt(minute + 1), badge: '3' },
    ]);
  },
};

/** Returns `each` tries of each family; the same seed makes the same tries. */
export function tries(each: number, seed: number): Try[] {
  return [...makeTries(OTHERS, each, seed, false), ...makeTries(QUIET, each, seed + 1, true)];
}

export function makeTries(families: Record<string, Make>, each: number, seed: number, unchanged: boolean): Try[] {
  const random = seeded(seed);
  return Object.entries(families).flatMap(([family, one]) =>
    Array.from({ length: each }, () => ({ family, unchanged, passedMs: 5_000, ...one(random) })),
  );
}
