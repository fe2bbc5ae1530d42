import { create } from '@bufbuild/protobuf';
import { expect } from 'chai';
import { type InputEvent, InputEventSchema, TouchPhase } from '../../proto/gen/cloudphone/screen/v1/input_pb.js';
import { NOTHING_SEEN } from '../observe/observation.js';
import { element } from '../testing/element.js';
import type { ScreenContent, ScreenElement } from '../tree/elements.js';
import { shownTexts } from './shown-texts.js';
import { touchedElements } from './touched-elements.js';

const { DOWN, UP } = TouchPhase;
const touch = (phase: TouchPhase, x: number, y: number, pointer = 0): InputEvent =>
  create(InputEventSchema, { kind: { case: 'touch', value: { phase, x, y, pointer } } });
const tap = (x: number, y: number): InputEvent[] => [touch(DOWN, x, y), touch(UP, x, y)];
const typed = (...texts: string[]): InputEvent[] =>
  texts.map((text) => create(InputEventSchema, { kind: { case: 'text', value: { text } } }));
const key = (name: string): InputEvent => create(InputEventSchema, { kind: { case: 'key', value: { name } } });
const screen = (...elements: ScreenElement[]): ScreenContent => ({ ...NOTHING_SEEN, elements });

/** An element of 100 by 100 px at a row of the screen. */
const at = (row: number, facts: Partial<ScreenElement>): ScreenElement => {
  const words = [facts.text, facts.label].filter((one): one is string => one !== undefined && one !== '');
  return element({
    role: 'button',
    states: ['clickable'],
    words,
    bounds: { x: 0, y: row * 100, width: 100, height: 100 },
    ...facts,
  });
};
const field = (row: number, label: string, text: string, ...states: ScreenElement['states']): ScreenElement =>
  at(row, { role: 'textfield', label, text, words: [label, text], states: ['clickable', 'editable', ...states] });

const save = at(0, { text: 'Save' });
const rows = [at(1, { text: 'Delete' }), at(2, { text: 'Delete' })];
const bare = at(3, { resourceId: 'com.x:id/fab' });
const row = at(4, { role: 'group', label: 'Wi-Fi, On', words: ['Wi-Fi', 'On', 'Wi-Fi, On'] });
const title = field(5, 'Title', 'Old');
const hidden = at(6, { text: 'PIN ••••••••' });
const all = screen(save, ...rows, bare, row, title, hidden);

describe('elements that take raw input', () => {
  const found = (events: readonly InputEvent[], before: ScreenContent | undefined = all, after: ScreenContent = all) =>
    touchedElements(events, { before, after, isThere: () => true }).map(({ event, text, role }) => [event, text, role]);

  for (const [what, events, words] of [
    ['a button by its text', tap(50, 50), [[0, 'Save', 'button']]],
    ['none of two with the same words', tap(50, 150), []],
    ['none without words', tap(50, 350), []],
    ['a row by the shortest of its words', tap(50, 450), [[0, 'Wi-Fi', 'group']]],
    ['a field by its label, as its text changes', tap(50, 550), [[0, 'Title', 'textfield']]],
    ['none with a secret in its words', tap(50, 650), []],
    ['none beside all elements', tap(50, 950), []],
    ['the first finger alone', [touch(DOWN, 50, 550, 1), touch(DOWN, 50, 50)], [[1, 'Save', 'button']]],
    [
      'each of two taps',
      [...tap(50, 50), ...tap(50, 550)],
      [
        [0, 'Save', 'button'],
        [2, 'Title', 'textfield'],
      ],
    ],
  ] as [string, InputEvent[], unknown[]][])
    it(`are ${what}`, () => expect(found(events)).to.deep.equal(words));

  it('are not known where the screen before is not, or where their place shows something else', () => {
    expect(touchedElements(tap(50, 50), { before: undefined, after: all, isThere: () => true })).to.deep.equal([]);
    expect(touchedElements(tap(50, 50), { before: all, after: all, isThere: () => false })).to.deep.equal([]);
  });

  it('are not guessed for a touch after the first, which may have met another screen', () => {
    const events = [...tap(50, 50), ...tap(50, 450)];
    expect(found(events, all, screen(row))).to.deep.equal([
      [0, 'Save', 'button'],
      [2, 'Wi-Fi', 'group'],
    ]);
    expect(found(events, all, screen(at(4, { text: 'Other' })))).to.deep.equal([[0, 'Save', 'button']]);
  });

  it('are the focused field for a text, once for its pieces', () => {
    const after = screen(title, field(7, 'Note', 'Milk', 'focused'));
    expect(found(typed('Mi', 'lk'), all, after)).to.deep.equal([[0, 'Note', 'textfield']]);
  });

  it('are not the field that has the focus in the end for a text before, as keys and touches move the focus', () => {
    const after = screen(field(7, 'User', 'ada'), field(8, 'Password', '', 'focused', 'password'));
    expect(found([...typed('ada'), key('TAB'), ...typed('hunter2')], all, after)).to.deep.equal([
      [2, 'Password', 'textfield'],
    ]);
    expect(found([...typed('ada'), key('TAB')], all, after)).to.deep.equal([]);
  });
});

describe('typed texts of raw input that may be kept', () => {
  const texts = (events: readonly InputEvent[], ...fields: ScreenElement[]): string[] => [
    ...shownTexts(events, { before: undefined, after: screen(...fields) }),
  ];

  for (const [what, events, fields, kept] of [
    ['the focused field shows them', typed('Mi', 'lk'), [field(1, 'Title', 'Oat Milk', 'focused')], ['Mi', 'lk']],
    ['a field that lost the focus has the whole text', [...typed('ab'), key('TAB')], [field(1, 'Title', 'ab')], ['ab']],
    ['a short text is only a part of such a field', [...typed('ab'), key('TAB')], [field(1, 'Title', 'abc')], []],
    ['the focused field is for a password', typed('hunter2'), [field(1, 'PIN', '', 'focused', 'password')], []],
    ['the field hides a secret', typed('blind'), [field(1, 'Note', '•••••••• blind', 'focused')], []],
    ['no field shows them', typed('hunter2'), [field(1, 'Title', 'Milk', 'focused')], []],
    ['a label shows them', typed('Save'), [save], []],
    [
      'one of two texts went into a password field, which may share letters with the other',
      [...typed('s', 'a'), key('TAB'), ...typed('s', 'e')],
      [field(1, 'User', 'sa'), field(2, 'PIN', '', 'focused', 'password')],
      [],
    ],
    [
      'both texts show',
      [...typed('sa'), key('TAB'), ...typed('se')],
      [field(1, 'User', 'sa'), field(2, 'City', 'se', 'focused')],
      ['sa', 'se'],
    ],
  ] as [string, InputEvent[], ScreenElement[], string[]][])
    it(`are ${kept.length === 0 ? 'none' : 'theirs'} where ${what}`, () =>
      expect(texts(events, ...fields)).to.deep.equal(kept));

  it('are none where the screen is not known', () =>
    expect([...shownTexts(typed('Milk'), { before: all, after: undefined })]).to.deep.equal([]));

  it('are none where a field for passwords may have taken them, though another field shows the same', () => {
    const user = field(1, 'User', 'alice');
    const pin = field(2, 'PIN', '', 'focused', 'password');
    expect(texts(typed('alice'), user, pin)).to.deep.equal([]);
    expect(texts(typed('alic'), user, pin)).to.deep.equal([]);
    expect([...shownTexts(typed('alice'), { before: screen(user, pin), after: screen(user) })]).to.deep.equal([]);
    const moved = [...typed('alice'), key('TAB')];
    expect(texts(moved, field(1, 'User', 'alice', 'focused'), field(2, 'PIN', '', 'password'))).to.deep.equal([]);
  });

  it('are kept beside a field for passwords where the focused field shows them', () =>
    expect(texts(typed('alice'), field(1, 'User', 'alice', 'focused'), field(2, 'PIN', '', 'password'))).to.deep.equal([
      'alice',
    ]));
});
