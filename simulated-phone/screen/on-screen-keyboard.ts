import type { EditField } from '../ui/edit-field.js';
import { clamp, contains, type Rect } from '../ui/geometry.js';
import type { IconName } from '../ui/icons.js';
import type { Painter } from '../ui/painter.js';
import { theme } from '../ui/theme.js';
import { keyboardKeys, type Key, type KeyboardPage, type ShiftState } from './keyboard-keys.js';

const BACKGROUND = '#e6eaf3';
const TONES = { plain: '#ffffff', side: '#ccd3e2', strong: theme.primary } as const;

/** The effect of a key on the field: an edit, or ENTER. */
export type KeyboardOutcome = 'enter' | ((field: EditField) => void);

/** The on-screen keyboard. It has a window of its own, so dumps of the app do not show it. */
export class OnScreenKeyboard {
  #page: KeyboardPage = 'letters';
  #shift: ShiftState = 'off';
  readonly #pressed = new Map<number, string>();

  /** Returns the height of the keyboard, dp, without the navigation bar below it. */
  static heightFor(displayHeight: number): number {
    return 4 * clamp((displayHeight * 0.34) / 4, 34, 54) + 8;
  }

  /** Sets the keyboard for a field that gets the focus. */
  startOn(field: EditField): void {
    this.#page = field.options.number === true ? 'signs' : 'letters';
    const sentence = field.options.password !== true && field.options.fieldStyle !== 'pill' && field.text === '';
    this.#shift = sentence && field.options.number !== true ? 'once' : 'off';
    this.#pressed.clear();
  }

  /** Presses the key at a point. Returns whether one is there. */
  press(pointer: number, x: number, y: number, area: Rect): boolean {
    const key = this.#keys(area, 'check').find(({ box }) => contains(box, x, y));
    if (!key) return false;
    this.#pressed.set(pointer, key.label);
    return true;
  }

  cancel(pointer: number): void {
    this.#pressed.delete(pointer);
  }

  /** Releases the key under the finger, and returns its effect. Undefined: there is no key, or only the keyboard itself changed. */
  release(pointer: number, x: number, y: number, area: Rect): KeyboardOutcome | undefined {
    this.#pressed.delete(pointer);
    const key = this.#keys(area, 'check').find(({ box }) => contains(box, x, y));
    return key ? this.#act(key) : undefined;
  }

  paint(painter: Painter, area: Rect, field: EditField): void {
    painter.fill(area.left, area.top, area.width, area.height, BACKGROUND);
    const pressed = new Set(this.#pressed.values());
    for (const key of this.#keys(area, ENTER_ICONS[field.options.enterAction ?? 'done'])) {
      const { left, top, width, height } = key.box;
      const middleX = left + width / 2;
      const middleY = top + height / 2;
      const inset = { x: 2.5, y: 4 };
      const round = key.tone === 'strong' ? (height - 8) / 2 : 7;
      const color = pressed.has(key.label) ? '#aeb7cb' : TONES[key.tone];
      painter.fill(left + inset.x, top + inset.y, width - 2 * inset.x, height - 2 * inset.y, color, round);
      const ink = key.tone === 'strong' ? theme.onPrimary : theme.text;
      if (key.icon) painter.icon(key.icon, middleX - 11, middleY - 11, 22, ink);
      else if (key.label === 'space') painter.label('English', middleX, middleY, 13, 400, theme.textFaint);
      else painter.label(key.label, middleX, middleY, key.label.length > 1 ? 14 : 20, 400, ink);
    }
  }

  #keys(area: Rect, enterIcon: IconName): Key[] {
    return keyboardKeys(area, this.#page, this.#shift, enterIcon);
  }

  /** Returns the effect of a key; undefined when only the keyboard itself changed. */
  #act(key: Key): KeyboardOutcome | undefined {
    const { action } = key;
    switch (action.kind) {
      case 'type':
        if (this.#shift === 'once') this.#shift = 'off';
        return (field) => field.type(action.text);
      case 'delete':
        return (field) => field.edit((text) => text.deleteBefore());
      case 'enter':
        return 'enter';
      case 'page':
        this.#page = action.page;
        return undefined;
      case 'shift':
        this.#shift = this.#shift === 'off' ? 'once' : this.#shift === 'once' ? 'lock' : 'off';
        return undefined;
    }
  }
}

const ENTER_ICONS = {
  done: 'check',
  next: 'arrowForward',
  search: 'search',
  send: 'send',
  go: 'arrowForward',
} as const satisfies Record<string, IconName>;
