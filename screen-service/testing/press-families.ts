import type { UiNode } from '../shapes/ui-node.js';
import { field, type Make, makeTries, pick, type Random, type Screen, type Try, World } from './screen-families.js';
import { type NodeInit, uiButton, uiNode, uiText } from './ui-trees.js';

const whole = (random: Random, most: number, least = 0): number => least + Math.floor(random() * (most - least));
const twoOf = (random: Random, most: number, least = 0): [number, number] => {
  const first = whole(random, most, least);
  const second = whole(random, most - 1, least);
  return [first, second >= first ? second + 1 : second];
};
const two = (number: number): string => String(number).padStart(2, '0');
const shuffled = <T>(random: Random, all: readonly T[]): T[] =>
  all
    .map((one) => ({ one, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ one }) => one);

/** How a page is built: views, one web page that scrolls, or cards that take a tap. */
const pageOf = (random: Random): ((world: World, ...nodes: UiNode[]) => Screen) => {
  const layout = pick(random, ['views', 'web', 'page']);
  return (world, ...nodes) => {
    if (layout === 'views') return world.screen(uiText('Shop', [0, 0, 720, 60]), ...nodes);
    const className = layout === 'web' ? 'android.webkit.WebView' : 'ScrollView';
    return world.screen(uiNode(className, { at: [0, 0, 720, 1_280], scrollable: true }, ...nodes));
  };
};

/** Texts that differ in a number only, which names what they are about. */
const NUMBERED: readonly ((number: number) => string)[] = [
  (number) => `Delete (${number})`,
  (number) => `Pay, ${number} EUR`,
  (number) => `Transfer, ${number} EUR to Ann`,
  (number) => `Album (${1_900 + number})`,
  (number) => `Book 12:${two(number % 60)}`,
  (number) => `12:${two(number % 60)}`,
  (number) => `${number % 24}:30 PM`,
  (number) => `John 3:${1 + number}`,
  (number) => `Departs ${two(number % 24)}:05`,
  (number) => `Room ${number}, 3 guests`,
  (number) => `Seat ${number}`,
  (number) => `${number}`,
  (number) => `Order ${number} of 40`,
  (number) => `In ${number} min`,
  (number) => `${number} %`,
  (number) => `Gate (${number}+)`,
];

/** The page is loaded again and shows another number: in the button, beside it, as a heading, or in a card around it. */
const reloads: Make = (random) => {
  const text = pick(random, NUMBERED);
  const [first, second] = twoOf(random, 24);
  const place = pick(random, ['button', 'beside', 'heading', 'card', 'detail', 'label']);
  const build = pageOf(random);
  const page = (number: number): Screen => {
    const world = new World();
    const words = text(number);
    const act = (at: NodeInit['at'], fields: Partial<UiNode> = {}): UiNode =>
      world.is(`act ${number}`, uiButton(place === 'button' ? words : 'Buy', at, fields));
    if (place === 'beside') return build(world, uiText(words, [20, 400, 400, 60]), act([460, 400, 200, 60]));
    if (place === 'card') {
      const card = [uiText('Ticket', [20, 400, 300, 50]), uiText(words, [20, 460, 300, 50]), act([20, 520, 200, 60])];
      return build(world, uiNode('LinearLayout', { at: [0, 390, 720, 210], clickable: true }, ...card));
    }
    if (place === 'detail') {
      const row = [uiText('Total', [20, 400, 300, 50]), uiText(words, [20, 460, 300, 50])];
      return build(
        world,
        uiNode('LinearLayout', { at: [0, 390, 720, 130], clickable: true }, ...row),
        act([20, 600, 200, 60]),
      );
    }
    if (place === 'label') return build(world, act([20, 600, 200, 60], { text: '', description: words }));
    return build(world, ...(place === 'heading' ? [uiText(words, [0, 100, 720, 60])] : []), act([20, 600, 200, 60]));
  };
  return { before: page(first), now: page(second), passedMs: whole(random, 8_000) };
};

/** The keys of a number pad, which banks shuffle. */
const numberPads: Make = (random) => {
  const digits = '1234567890'.split('');
  const folded = random() < 0.7;
  const pad = (order: readonly string[]): Screen => {
    const world = new World();
    const keys = order.map((digit, at) => {
      const place: NodeInit['at'] = [(at % 3) * 240, 500 + Math.floor(at / 3) * 150, 240, 150];
      const [x, y] = place;
      const inner = folded ? [uiText(digit, [x + 90, y + 40, 60, 60])] : [];
      return world.is(
        `key ${digit}`,
        uiNode(
          folded ? 'FrameLayout' : 'Button',
          { at: place, clickable: true, ...(!folded && { text: digit }) },
          ...inner,
        ),
      );
    });
    return world.screen(uiText('Enter your PIN', [0, 100, 720, 60]), ...keys);
  };
  return { before: pad(digits), now: pad(shuffled(random, digits)) };
};

/** A field has the focus; a text in the lower half of the page changes. */
const focusedFields: Make = (random) => {
  const [first, second] = shuffled(random, ['Ann', 'Bob', 'Cem', 'Dora']);
  const focus = pick(random, ['both', 'now', 'before']);
  const y = whole(random, 1_000, 640);
  const page = (name: string, focused: boolean): Screen => {
    const world = new World();
    return world.screen(
      field('Message', '', [0, 100, 720, 90], focused),
      uiText(`To: ${name}`, [0, y, 720, 60]),
      world.is(`send to ${name}`, uiButton('Send', [500, 1_150, 200, 100])),
    );
  };
  return { before: page(first ?? '', focus !== 'now'), now: page(second ?? '', focus !== 'before') };
};

/** The page exchanges the content of a field, after the caller has typed into it or into another one. */
const exchangedContents: Make = (random) => {
  const account = (): string => `DE${whole(random, 90, 10)} ${whole(random, 9_000, 1_000)}`;
  const [mine, other] = [account(), account()];
  const intoOther = random() < 0.5;
  const page = (iban: string, amount: string, name: string): Screen => {
    const world = new World();
    return world.screen(
      field('IBAN', iban, [0, 100, 720, 90], !intoOther),
      field('Amount', amount, [0, 250, 720, 90], intoOther),
      world.is(`send to ${name}`, uiButton('Send', [500, 400, 200, 100])),
    );
  };
  const amount = String(whole(random, 999, 100));
  const before = intoOther ? page(mine, '', 'mine') : page('', amount, 'mine');
  return { before, now: page(other, amount, 'others'), typed: [intoOther ? amount : mine], pressed: [] };
};

/** A scrolled list that repeats the days of the week. */
const cyclicLists: Make = (random) => {
  const days = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'].slice(0, pick(random, [3, 4, 5, 7]));
  const shown = whole(random, 12, days.length);
  const by = whole(random, days.length * 2, 1);
  const withDelete = random() < 0.5;
  const cut = random() < 0.4 ? whole(random, 60, 10) : 0;
  const page = (first: number, up: number): Screen => {
    const world = new World();
    const inList = ([x, y, width, height]: NodeInit['at']): NodeInit['at'] => {
      const [top, bottom] = [Math.max(y, 200), Math.min(y + height, 200 + shown * 90)];
      return [x, top, width, Math.max(0, bottom - top)];
    };
    const rows = Array.from({ length: shown + 1 }, (_, at) => {
      const y = 200 + at * 90 - up;
      const day = uiText(days[(first + at) % days.length] ?? '', inList([20, y + 10, 300, 60]));
      const button = world.is(`delete ${first + at}`, uiButton('Delete', inList([500, y + 10, 200, 60])));
      const inner = [day, ...(withDelete ? [button] : [])].filter(({ top, bottom }) => bottom > top);
      return world.is(
        `open ${first + at}`,
        uiNode('LinearLayout', { at: inList([0, y, 720, 90]), clickable: true }, ...inner),
      );
    }).filter(({ top, bottom }) => bottom > top);
    const list = uiNode('ListView', { at: [0, 200, 720, shown * 90], scrollable: true }, ...rows);
    return world.screen(uiText('Alarms', [0, 60, 720, 80]), list);
  };
  const way = { x: 0, y: -(by * 90 + cut) };
  const half = { x: 0, y: way.y / 2 };
  const strokes = pick(random, [[], [way], [undefined], [half, half]]);
  return { before: page(0, 0), now: page(by, cut), ...(strokes.length > 0 && { pressed: [], strokes }) };
};

/** A step of the caller has led to another page of the window, with buttons in the same places. */
const turnedPages: Make = (random) => {
  const message = (name: string, text: string): Screen => {
    const world = new World();
    return world.screen(
      uiText(`From ${name}`, [0, 100, 720, 60]),
      uiText(`On ${text}`, [0, 200, 720, 60]),
      uiText(`Dear reader, ${text} is here`, [0, 300, 720, 60]),
      world.is(`archive ${name}`, uiButton('Archive', [0, 1_000, 300, 80])),
      world.is(`delete ${name}`, uiButton('Delete', [400, 1_000, 300, 80])),
    );
  };
  const question = (): Screen => {
    const world = new World();
    return world.screen(
      uiText('Are you sure?', [0, 500, 720, 60]),
      world.is('cancel', uiButton('Cancel', [0, 1_000, 300, 80])),
      world.is('confirm', uiButton('Delete', [400, 1_000, 300, 80])),
    );
  };
  const now = random() < 0.5 ? message('Bob', 'Friday') : question();
  return { before: message('Ann', 'Monday'), now, pressed: [pick(random, ['archive Ann', 'delete Ann'])] };
};

/** A step of the caller has removed a row from a list whose rows look alike, or differ. */
const removedRows: Make = (random) => {
  const alike = random() < 0.5;
  const rows = Array.from({ length: 9 }, (_, at) => (alike ? 'Meeting' : `Meeting ${at}`));
  const gone = whole(random, 4);
  const page = (hidden: number): Screen => {
    const world = new World();
    const left = rows
      .map((title, at) => ({ title, at }))
      .filter(({ at }) => at !== hidden)
      .slice(0, 6);
    const nodes = left.map(({ title, at }, place) => {
      const y = 200 + place * 120;
      const remove = world.is(`delete ${at}`, uiButton('Delete', [500, y + 20, 200, 80]));
      return uiNode(
        'LinearLayout',
        { at: [0, y, 720, 120], clickable: true },
        uiText(title, [20, y + 30, 300, 60]),
        remove,
      );
    });
    return world.screen(uiNode('ListView', { at: [0, 200, 720, 720], scrollable: true }, ...nodes));
  };
  return { before: page(-1), now: page(gone), pressed: [`delete ${gone}`] };
};

/** Families in which something else, or nothing, may have taken the place of an element. None has a race, or a press of another element. */
const OTHERS = {
  reloads,
  numberPads,
  focusedFields,
  exchangedContents,
  cyclicLists,
  turnedPages,
  removedRows,
};

/** A timer that is set in steps, and may run. */
const timers: Make = (random) => {
  const from = whole(random, 500, 60);
  const show = (seconds: number): Screen => {
    const world = new World();
    return world.screen(
      uiText('Clock', [0, 20, 720, 60]),
      uiText(`${two(Math.floor(seconds / 60))}:${two(seconds % 60)}`, [200, 400, 320, 100]),
      world.is('less', uiButton('-10 s', [100, 600, 200, 80])),
      world.is('more', uiButton('+10 s', [400, 600, 200, 80])),
      world.is('start', uiButton('Start', [250, 800, 200, 80])),
    );
  };
  return { before: show(from), now: show(from + 10 - whole(random, 4)), pressed: ['more'] };
};

/** A form with a slider whose label has its value. */
const forms: Make = (random) => {
  const [first, second] = twoOf(random, 100);
  const inScroll = random() < 0.5;
  const page = (level: number): Screen => {
    const world = new World();
    const body = [
      world.is('name', field('Name', 'Ann', [20, 120, 680, 80])),
      uiText(`Level: ${level}`, [20, 240, 680, 50]),
      world.is('level', uiNode('SeekBar', { at: [20, 300, 680, 60], description: 'Level', focusable: true })),
      world.is('news', uiNode('Switch', { at: [20, 400, 680, 60], text: 'News', clickable: true, checkable: true })),
      world.is('submit', uiButton('Submit', [20, 500, 680, 80])),
    ];
    const form = inScroll ? [uiNode('ScrollView', { at: [0, 100, 720, 1_100], scrollable: true }, ...body)] : body;
    return world.screen(uiText('Form', [0, 20, 720, 60]), ...form);
  };
  return { before: page(first), now: page(second), pressed: ['level'] };
};

/** A shopping list with a line that counts, or names what was pressed last. */
const shoppingLists: Make = (random) => {
  const names = shuffled(random, ['Apples', 'Bread', 'Cheese', 'Dates', 'Eggs', 'Figs']);
  const inPage = random() < 0.5;
  const [before, after] = pick(random, [
    ['0 of 6 done', '1 of 6 done'],
    ['Nothing tapped', `${names[0] ?? ''} held`],
    ['', 'One more to go'],
  ] as const);
  const page = (status: string, done: boolean): Screen => {
    const world = new World();
    const rows = names.map((name, at) => {
      const y = 200 + at * 120;
      const box = uiNode('CheckBox', { at: [600, y + 20, 80, 80], checkable: true, checked: done && at === 0 });
      return world.is(
        name,
        uiNode(
          'LinearLayout',
          { at: [0, y, 720, 120], clickable: true, longClickable: true },
          uiText(name, [20, y + 30, 300, 60]),
          box,
        ),
      );
    });
    const line = status === '' ? [] : [uiText(status, [0, 120, 720, 60])];
    const [heading, add] = [
      uiText('Shopping', [0, 20, 720, 60]),
      world.is('add', uiButton('Add', [500, 1_150, 200, 90])),
    ];
    if (inPage)
      return world.screen(
        uiNode('android.webkit.WebView', { at: [0, 0, 720, 1_280], scrollable: true }, heading, ...line, ...rows, add),
      );
    return world.screen(
      heading,
      ...line,
      uiNode('ListView', { at: [0, 200, 720, 740], scrollable: true }, ...rows),
      add,
    );
  };
  return { before: page(before, false), now: page(after, true), pressed: [names[0] ?? ''] };
};

/** A counter with a live label; its minus and plus may have the number between them. */
const counters: Make = (random) => {
  const between = random() < 0.5;
  const from = whole(random, 20);
  const page = (count: number): Screen => {
    const world = new World();
    const label = between ? uiText(`${count}`, [250, 400, 100, 80]) : uiText(`Taps: ${count}`, [20, 250, 680, 60]);
    return world.screen(
      uiText('Counter', [0, 20, 720, 60]),
      world.is('less', uiButton('-', [100, 400, 100, 80])),
      label,
      world.is('more', uiButton('+', [400, 400, 100, 80])),
      world.is('done', uiButton('Done', [100, 700, 300, 80])),
    );
  };
  // An element keeps its id only if it was pressed or its row did not change. So nothing is expected of `less` with the number beside it.
  const now = page(from + 1);
  const places = new Map([...now.places].filter(([name]) => !between || name !== 'less'));
  return { before: page(from), now: { ...now, places }, pressed: ['more'] };
};

/** The caller has typed into a field. The field shows the text with or without blanks, alone or after an earlier text. */
const typedFields: Make = (random) => {
  const [first, then] = shuffled(random, ['DE89 3704 0044', 'Ann Lee', '120', 'ann@example.com']);
  const inside = random() < 0.5;
  const page = (name: string, amount: string, focused: number): Screen => {
    const world = new World();
    return world.screen(
      uiText('Transfer', [0, 20, 720, 60]),
      world.is('name', field('Name', name, [0, 100, 720, 90], focused === 1)),
      world.is('amount', field('Amount', amount, [0, 250, 720, 90], focused === 2)),
      world.is('send', uiButton('Send', [500, 400, 200, 100])),
    );
  };
  const before = page(inside ? 'Dr. ' : '', '', 0);
  const shown = `${inside ? 'Dr. ' : ''}${random() < 0.5 ? (first ?? '') : (first ?? '').replaceAll(' ', '')}`;
  return { before, now: page(shown, then ?? '', 2), typed: [first ?? '', then ?? ''], pressed: ['name', 'amount'] };
};

/** Families in which a step of the caller changed only something else, so that the remaining elements keep their ids. */
const OWN = { timers, forms, shoppingLists, counters, typedFields };

/** Returns `each` tries of each family; the same seed makes the same tries. */
export function pressTries(each: number, seed: number): Try[] {
  return [...makeTries(OTHERS, each, seed, false), ...makeTries(OWN, each, seed + 1, true)];
}
