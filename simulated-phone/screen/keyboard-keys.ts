import type { Rect } from '../ui/geometry.js';
import type { IconName } from '../ui/icons.js';

export type KeyboardPage = 'letters' | 'signs' | 'more';
export type ShiftState = 'off' | 'once' | 'lock';

type KeyAction =
  | { kind: 'type'; text: string }
  | { kind: 'shift' }
  | { kind: 'delete' }
  | { kind: 'enter' }
  | { kind: 'page'; page: KeyboardPage };

export interface Key {
  label: string;
  icon?: IconName;
  action: KeyAction;
  /** The key's box, dp on the display. */
  box: Rect;
  tone: 'plain' | 'side' | 'strong';
}

const PAGES: Record<KeyboardPage, readonly [string, string, string]> = {
  letters: ['qwertyuiop', 'asdfghjkl', 'zxcvbnm'],
  signs: ['1234567890', '@#$%&-+()', `*"':;!?`],
  more: ['~`|^=\\{}[]', '<>_/€£¥§°', '…•©®™«»'],
};

interface Slot {
  label: string;
  icon?: IconName;
  action: KeyAction;
  tone: Key['tone'];
  /** Width of the key in tenths of the keyboard's width. */
  span: number;
}

/** Returns the keys of a page, each with its box. They are three rows of letters and a row with the space bar. */
export function keyboardKeys(area: Rect, page: KeyboardPage, shift: ShiftState, enterIcon: IconName): Key[] {
  const upper = page === 'letters' && shift !== 'off';
  const letter = (text: string): Slot => {
    const shown = upper ? text.toUpperCase() : text;
    return { label: shown, action: { kind: 'type', text: shown }, tone: 'plain', span: 1 };
  };
  const [first, second, third] = PAGES[page];
  const rows: Slot[][] = [
    Array.from(first, letter),
    Array.from(second, letter),
    [shiftSlot(page, shift), ...Array.from(third, letter), DELETE],
    [
      page === 'letters' ? pageSlot('?123', 'signs') : pageSlot('ABC', 'letters'),
      { ...letter(','), tone: 'side' },
      { label: 'space', action: { kind: 'type', text: ' ' }, tone: 'plain', span: 5 },
      { ...letter('.'), tone: 'side' },
      { label: 'enter', icon: enterIcon, action: { kind: 'enter' }, tone: 'strong', span: 1.5 },
    ],
  ];
  const pad = 4;
  const rowHeight = (area.height - 2 * pad) / rows.length;
  const unit = (area.width - 2 * pad) / 10;
  return rows.flatMap((slots, at) => {
    const width = slots.reduce((sum, { span }) => sum + span * unit, 0);
    let left = area.left + (area.width - width) / 2;
    return slots.map(({ span, ...slot }) => {
      const box = { left, top: area.top + pad + at * rowHeight, width: span * unit, height: rowHeight };
      left += box.width;
      return { ...slot, box };
    });
  });
}

const DELETE: Slot = { label: 'delete', icon: 'backspace', action: { kind: 'delete' }, tone: 'side', span: 1.5 };

function pageSlot(label: string, page: KeyboardPage): Slot {
  return { label, action: { kind: 'page', page }, tone: 'side', span: 1.5 };
}

function shiftSlot(page: KeyboardPage, shift: ShiftState): Slot {
  if (page === 'signs') return pageSlot('=\\<', 'more');
  if (page === 'more') return pageSlot('?123', 'signs');
  const icon = shift === 'off' ? 'shift' : 'shiftOn';
  return { label: 'shift', icon, action: { kind: 'shift' }, tone: shift === 'lock' ? 'strong' : 'side', span: 1.5 };
}
