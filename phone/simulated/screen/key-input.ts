import { EditField } from '../ui/edit-field.js';
import { characterOf, KEY } from '../ui/key-codes.js';
import { ScrollBase } from '../ui/scroll.js';
import { SeekBar } from '../ui/seek-bar.js';
import type { View } from '../ui/view.js';
import { eachVisible } from '../ui/visible-views.js';
import type { Window } from './window.js';

export interface KeyScene {
  awake(): boolean;
  activeWindow(): Window | undefined;
  clipboard(): string;
  keep(text: string): void;
  wake(): void;
  sleep(): void;
  back(): void;
  home(): void;
  recents(): void;
  /** Opens the shade, or closes it. */
  notifications(): void;
  changeVolume(by: number): void;
  /** ENTER in a field. */
  enter(field: EditField): void;
}

/** Hardware keys. The system's own come first, then the focused field's, then moving and pressing the focus. */
export class KeyInput {
  readonly #scene: KeyScene;
  readonly #held = new Set<number>();

  constructor(scene: KeyScene) {
    this.#scene = scene;
  }

  handle(code: number, phase: 'down' | 'up'): void {
    if (phase === 'down') this.#held.add(code);
    else if (!this.#held.delete(code)) return;
    if (this.#power(code, phase)) return;
    if (!this.#scene.awake() || this.#system(code, phase) || phase === 'up') return;
    const window = this.#scene.activeWindow();
    if (!window) return;
    const { focused } = window;
    if (focused instanceof EditField && focused.editable && this.#edit(focused, code)) return;
    this.#navigate(window, focused, code);
  }

  get #shift(): boolean {
    return this.#held.has(KEY.SHIFT_LEFT) || this.#held.has(KEY.SHIFT_RIGHT);
  }

  get #control(): boolean {
    return this.#held.has(KEY.CTRL_LEFT) || this.#held.has(KEY.CTRL_RIGHT);
  }

  #power(code: number, phase: 'down' | 'up'): boolean {
    if (code !== KEY.POWER && code !== KEY.SLEEP && code !== KEY.WAKEUP) return false;
    if (phase === 'down') return true;
    if (code === KEY.WAKEUP || (code === KEY.POWER && !this.#scene.awake())) this.#scene.wake();
    else this.#scene.sleep();
    return true;
  }

  /** These act when let go, as Android's do. */
  #system(code: number, phase: 'down' | 'up'): boolean {
    const act = this.#systemAct(code);
    if (!act) return false;
    const onDown = code === KEY.VOLUME_UP || code === KEY.VOLUME_DOWN || code === KEY.VOLUME_MUTE;
    if (phase === (onDown ? 'down' : 'up')) act();
    return true;
  }

  #systemAct(code: number): (() => void) | undefined {
    switch (code) {
      case KEY.BACK:
      case KEY.ESCAPE:
        return () => this.#scene.back();
      case KEY.HOME:
        return () => this.#scene.home();
      case KEY.APP_SWITCH:
        return () => this.#scene.recents();
      case KEY.NOTIFICATION:
        return () => this.#scene.notifications();
      case KEY.VOLUME_UP:
        return () => this.#scene.changeVolume(1);
      case KEY.VOLUME_DOWN:
        return () => this.#scene.changeVolume(-1);
      case KEY.VOLUME_MUTE:
        return () => this.#scene.changeVolume(-100);
      default:
        return undefined;
    }
  }

  #edit(field: EditField, code: number): boolean {
    if (this.#control && this.#shortcut(field, code)) return true;
    const character = this.#control ? undefined : characterOf(code, this.#shift);
    if (character !== undefined) {
      field.type(character);
      return true;
    }
    const extend = this.#shift;
    switch (code) {
      case KEY.ENTER:
      case KEY.NUMPAD_ENTER:
        this.#scene.enter(field);
        return true;
      case KEY.DEL:
        field.edit((text) => text.deleteBefore());
        return true;
      case KEY.FORWARD_DEL:
        field.edit((text) => text.deleteAfter());
        return true;
      case KEY.DPAD_LEFT:
        field.edit((text) => text.left(extend));
        return true;
      case KEY.DPAD_RIGHT:
        field.edit((text) => text.right(extend));
        return true;
      case KEY.MOVE_HOME:
        field.edit((text) => text.lineStart(extend));
        return true;
      case KEY.MOVE_END:
        field.edit((text) => text.lineEnd(extend));
        return true;
      case KEY.PASTE:
        field.type(this.#scene.clipboard());
        return true;
      case KEY.COPY:
      case KEY.CUT:
        this.#take(field, code === KEY.CUT);
        return true;
      default:
        return false;
    }
  }

  #shortcut(field: EditField, code: number): boolean {
    switch (characterOf(code, false)) {
      case 'a':
        field.edit((text) => text.selectAll());
        return true;
      case 'c':
        this.#take(field, false);
        return true;
      case 'x':
        this.#take(field, true);
        return true;
      case 'v':
        field.type(this.#scene.clipboard());
        return true;
      default:
        return false;
    }
  }

  /** Passwords are not copied, as on Android. */
  #take(field: EditField, cut: boolean): void {
    if (field.selectedText === '' || field.password) return;
    this.#scene.keep(field.selectedText);
    if (cut) field.edit((text) => text.deleteBefore());
  }

  #navigate(window: Window, focused: View | undefined, code: number): void {
    window.bringUp();
    switch (code) {
      case KEY.TAB:
        this.#step(window, this.#shift ? -1 : 1);
        return;
      case KEY.DPAD_UP:
      case KEY.DPAD_DOWN:
        this.#step(window, code === KEY.DPAD_UP ? -1 : 1);
        return;
      case KEY.DPAD_LEFT:
      case KEY.DPAD_RIGHT:
        if (focused instanceof SeekBar) focused.value += code === KEY.DPAD_LEFT ? -1 : 1;
        else this.#step(window, code === KEY.DPAD_LEFT ? -1 : 1);
        return;
      case KEY.DPAD_CENTER:
      case KEY.ENTER:
      case KEY.NUMPAD_ENTER:
      case KEY.SPACE:
        if (focused?.enabled) focused.click();
        return;
      case KEY.PAGE_UP:
      case KEY.PAGE_DOWN:
        this.#page(window, code === KEY.PAGE_UP ? -1 : 1);
    }
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
