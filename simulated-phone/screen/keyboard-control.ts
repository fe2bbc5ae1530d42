import { EditField } from '../ui/edit-field.js';
import { contains, type Rect } from '../ui/geometry.js';
import type { View } from '../ui/view.js';
import { OnScreenKeyboard } from './on-screen-keyboard.js';
import type { ScreenCore } from './screen-core.js';
import { NAVIGATION_HEIGHT } from './system-bars.js';
import type { Window } from './window.js';

/** Shows the keyboard for a field that has the focus, hides it again, and types the tapped keys into the field. */
export class KeyboardControl {
  readonly keys = new OnScreenKeyboard();
  readonly #core: ScreenCore;
  readonly #activeWindow: () => Window | undefined;
  #shownFor: EditField | undefined;
  #startMs = -Infinity;

  constructor(core: ScreenCore, activeWindow: () => Window | undefined) {
    this.#core = core;
    this.#activeWindow = activeWindow;
  }

  /** The field that has the focus, with or without the keyboard. */
  get field(): EditField | undefined {
    const focused = this.#activeWindow()?.focused;
    return focused instanceof EditField && focused.editable ? focused : undefined;
  }

  /** The field for which the keyboard is up. */
  get target(): EditField | undefined {
    return this.#core.awake && this.#activeWindow()?.keyboardHidden === false ? this.field : undefined;
  }

  /** The place of the keyboard, above the navigation bar, dp; undefined while it is not up. */
  get area(): Rect | undefined {
    if (!this.target) return undefined;
    const { width, height } = this.#core.display.box;
    const tall = OnScreenKeyboard.heightFor(height);
    return { left: 0, top: height - NAVIGATION_HEIGHT - tall, width, height: tall };
  }

  /** The time at which the keyboard last began to slide in. */
  get startMs(): number {
    return this.#startMs;
  }

  /**
   * Must be called when the focus has changed, or the keyboard was shown or hidden. The keyboard slides in for a field, unless it is
   * already up.
   */
  focusChanged(): void {
    const field = this.target;
    if (field && field !== this.#shownFor) {
      if (!this.#shownFor) this.#startMs = this.#core.nowMs;
      this.keys.startOn(field);
      field.restartBlink();
    }
    this.#shownFor = field;
    this.#core.note(true);
  }

  /** Must be called when another window may be in front. The keyboard then appears or disappears without a slide. */
  windowsChanged(): void {
    this.#shownFor = this.target;
  }

  /** Hides the keyboard while the field keeps the focus. Returns whether it was shown. */
  hide(): boolean {
    const window = this.#activeWindow();
    if (!this.target || !window) return false;
    window.keyboardHidden = true;
    this.focusChanged();
    return true;
  }

  covers(x: number, y: number): boolean {
    const { area } = this;
    return area !== undefined && contains(area, x, y);
  }

  press(pointer: number, x: number, y: number): void {
    const { area } = this;
    if (area && this.keys.press(pointer, x, y, area)) this.#core.note(false);
  }

  release(pointer: number, x: number, y: number): void {
    const { area, target } = this;
    const outcome = area && this.keys.release(pointer, x, y, area);
    this.#core.note(false);
    if (!outcome || !target) return;
    if (outcome === 'enter') this.enter(target);
    else outcome(target);
  }

  cancel(pointer: number): void {
    this.keys.cancel(pointer);
    this.#core.note(false);
  }

  /**
   * Handles the key ENTER. A field with several lines or an action handles the key itself. Otherwise the next field gets the focus, or the
   * keyboard is hidden.
   */
  enter(field: EditField): void {
    const window = this.#activeWindow();
    if (!window) return;
    if (field.options.multiLine === true || field.options.onEnter) {
      field.enter();
      return;
    }
    window.bringUp();
    const fields = window.focusables().filter(({ view }) => view instanceof EditField);
    const next: View | undefined = fields[fields.findIndex(({ view }) => view === field) + 1]?.view;
    if (next && field.options.enterAction === 'next') window.focus(next);
    else this.hide();
  }
}
