import type { EditableText } from '../ui/editable-text.js';
import { EditField } from '../ui/edit-field.js';
import { characterOf, KEY } from '../ui/key-codes.js';
import { ScrollBase } from '../ui/scroll.js';
import { SeekBar } from '../ui/seek-bar.js';
import type { View } from '../ui/view.js';
import { eachVisible } from '../ui/visible-views.js';
import type { KeyboardControl } from './keyboard-control.js';
import type { Overlays } from './overlays.js';
import type { ScreenCore } from './screen-core.js';
import type { Shade } from './shade.js';
import type { NavigationButton } from './system-bars.js';
import type { Clipboard } from './text-menu.js';
import type { Window } from './window.js';

interface KeyParts {
  core: ScreenCore;
  keyboard: KeyboardControl;
  overlays: Overlays;
  shade: Shade;
  clipboard: Clipboard;
  activeWindow: () => Window | undefined;
  navigate: (button: NavigationButton) => void;
  setAwake: (awake: boolean) => void;
}

const NAVIGATION: Readonly<Record<number, NavigationButton>> = {
  [KEY.BACK]: 'back',
  [KEY.ESCAPE]: 'back',
  [KEY.HOME]: 'home',
  [KEY.APP_SWITCH]: 'recents',
};

const VOLUME_STEPS: Readonly<Record<number, number>> = {
  [KEY.VOLUME_UP]: 1,
  [KEY.VOLUME_DOWN]: -1,
  [KEY.VOLUME_MUTE]: -100,
};

/** `extend` is true while SHIFT is held: the selection then grows. */
const EDITS: Readonly<Record<number, (text: EditableText, extend: boolean) => unknown>> = {
  [KEY.DEL]: (text) => text.deleteBefore(),
  [KEY.FORWARD_DEL]: (text) => text.deleteAfter(),
  [KEY.DPAD_LEFT]: (text, extend) => text.left(extend),
  [KEY.DPAD_RIGHT]: (text, extend) => text.right(extend),
  [KEY.MOVE_HOME]: (text, extend) => text.lineStart(extend),
  [KEY.MOVE_END]: (text, extend) => text.lineEnd(extend),
};

/** The key that CTRL and a letter stand for. */
const SHORTCUTS: Readonly<Record<string, number>> = { c: KEY.COPY, x: KEY.CUT, v: KEY.PASTE };

/** The direction in which each arrow key moves the focus. */
const STEPS: Readonly<Record<number, number>> = {
  [KEY.DPAD_UP]: -1,
  [KEY.DPAD_LEFT]: -1,
  [KEY.DPAD_DOWN]: 1,
  [KEY.DPAD_RIGHT]: 1,
};

/** Handles hardware keys. The system gets a key first, and then the focused field. Other keys move the focus or press the focused view. */
export class KeyInput {
  readonly #parts: KeyParts;
  readonly #held = new Set<number>();

  constructor(parts: KeyParts) {
    this.#parts = parts;
  }

  handle(code: number, phase: 'down' | 'up'): void {
    if (phase === 'down') this.#held.add(code);
    else if (!this.#held.delete(code)) return;
    if (this.#power(code, phase)) return;
    if (!this.#parts.core.awake || this.#system(code, phase) || phase === 'up') return;
    const window = this.#parts.activeWindow();
    if (!window) return;
    const { focused } = window;
    if (focused instanceof EditField && focused.editable && this.#edit(focused, code)) return;
    this.#navigate(window, focused, code);
  }

  get #shift(): boolean {
    return this.#held.has(KEY.SHIFT_LEFT) || this.#held.has(KEY.SHIFT_RIGHT);
  }

  #power(code: number, phase: 'down' | 'up'): boolean {
    if (code !== KEY.POWER && code !== KEY.SLEEP && code !== KEY.WAKEUP) return false;
    const { core, setAwake } = this.#parts;
    if (phase === 'up') setAwake(code === KEY.WAKEUP || (code === KEY.POWER && !core.awake));
    return true;
  }

  /** Handles keys of the system, which act when they are let go, as on Android. Volume keys act when they are pressed. */
  #system(code: number, phase: 'down' | 'up'): boolean {
    const { navigate, overlays, shade } = this.#parts;
    const button = NAVIGATION[code];
    const volume = VOLUME_STEPS[code];
    if (volume !== undefined && phase === 'down') overlays.changeVolume(volume);
    if (button !== undefined && phase === 'up') navigate(button);
    if (code === KEY.NOTIFICATION && phase === 'up') shade.toggle();
    return volume !== undefined || button !== undefined || code === KEY.NOTIFICATION;
  }

  #edit(field: EditField, code: number): boolean {
    if (this.#held.has(KEY.CTRL_LEFT) || this.#held.has(KEY.CTRL_RIGHT)) {
      const letter = characterOf(code, false) ?? '';
      if (letter !== 'a') return this.#act(field, SHORTCUTS[letter] ?? code);
      field.edit((text) => text.selectAll());
      return true;
    }
    const character = characterOf(code, this.#shift);
    if (character === undefined) return this.#act(field, code);
    field.type(character);
    return true;
  }

  /** Applies a key without a character to a field. */
  #act(field: EditField, code: number): boolean {
    const { clipboard, keyboard } = this.#parts;
    const step = EDITS[code];
    if (step) field.edit((text) => step(text, this.#shift));
    else if (code === KEY.ENTER || code === KEY.NUMPAD_ENTER) keyboard.enter(field);
    else if (code === KEY.PASTE) field.type(clipboard.text);
    else if (code === KEY.COPY || code === KEY.CUT) this.#take(field, code === KEY.CUT);
    else return false;
    return true;
  }

  /** Copies or cuts the selection. Passwords are not copied, as on Android. */
  #take(field: EditField, cut: boolean): void {
    if (field.selectedText === '' || field.password) return;
    this.#parts.clipboard.text = field.selectedText;
    if (cut) field.edit((text) => text.deleteBefore());
  }

  #navigate(window: Window, focused: View | undefined, code: number): void {
    window.bringUp();
    const step = code === KEY.TAB ? (this.#shift ? -1 : 1) : STEPS[code];
    if (step !== undefined) {
      const slides = focused instanceof SeekBar && (code === KEY.DPAD_LEFT || code === KEY.DPAD_RIGHT);
      if (slides) focused.value += step;
      else this.#step(window, step);
    } else if (code === KEY.PAGE_UP || code === KEY.PAGE_DOWN) this.#page(window, code === KEY.PAGE_UP ? -1 : 1);
    else if (PRESSING.has(code) && focused?.enabled) focused.click();
  }

  #step(window: Window, by: number): void {
    const views = window.focusables().map(({ view }) => view);
    if (views.length === 0) return;
    const at = window.focused ? views.indexOf(window.focused) : -1;
    const next = at < 0 ? (by > 0 ? 0 : views.length - 1) : (at + by + views.length) % views.length;
    window.focus(views[next]);
  }

  #page(window: Window, by: number): void {
    let scroller: ScrollBase | undefined;
    eachVisible(window.placedRoot, window.clip, window.nowMs, ({ view }) => {
      if (!scroller && view instanceof ScrollBase && view.axis === 'vertical' && view.most > 0) scroller = view;
      return true;
    });
    scroller?.slide(scroller.offset + by * scroller.height * 0.9);
  }
}

const PRESSING: ReadonlySet<number> = new Set([KEY.DPAD_CENTER, KEY.ENTER, KEY.NUMPAD_ENTER, KEY.SPACE]);
