import type { Clock, Timer } from '../../kit/async/clock.js';
import type { TouchPhase } from '../system/system.js';
import { EditField } from '../ui/edit-field.js';
import type { Rect } from '../ui/geometry.js';
import { ScrollBase } from '../ui/scroll.js';
import type { View } from '../ui/view.js';
import { viewsAt, type VisibleView } from '../ui/visible-views.js';
import { speedOf } from './finger-speed.js';
import type { KeyboardControl } from './keyboard-control.js';
import type { Layout } from './layout.js';
import type { ScreenCore } from './screen-core.js';
import type { Shade } from './shade.js';
import type { NavigationButton } from './system-bars.js';
import { textMenu, type Clipboard } from './text-menu.js';
import type { Window } from './window.js';

/** How far a finger may tremble and still tap, dp. */
const SLOP_DP = 8;
/** How far a finger moves down from the status bar to open the shade, dp. */
const PULL_DP = 24;

interface TouchParts {
  core: ScreenCore;
  clock: Pick<Clock, 'after'>;
  layout: Layout;
  keyboard: KeyboardControl;
  shade: Shade;
  clipboard: Clipboard;
  navigate: (button: NavigationButton) => void;
  /** Whether the app of a window hangs, so that a touch has no effect. */
  ignoresInput: (window: Window) => boolean;
}

type Gesture =
  | { kind: 'key' }
  | { kind: 'status'; startY: number }
  | { kind: 'spent' }
  | { kind: 'navigation'; button: NavigationButton | undefined }
  | { kind: 'outside'; window: Window }
  | { kind: 'view'; press: Press };

interface Press {
  window: Window;
  /** The views under the finger, from the root to the innermost. It is empty once another finger has taken the list over. */
  path: readonly VisibleView[];
  target: VisibleView | undefined;
  /** The view that takes every move itself. */
  claimed: VisibleView | undefined;
  startX: number;
  startY: number;
  lastX: number;
  lastY: number;
  samples: { ms: number; x: number; y: number }[];
  dragging: ScrollBase | undefined;
  longPress: Timer | undefined;
  /** Whether the press has no further effect: it stopped a list, was a long press, or moved away. */
  spent: boolean;
}

/** Turns touches into taps, long presses, drags and flings, each pointer separately. Coordinates are dp on the display. */
export class TouchInput {
  readonly #parts: TouchParts;
  readonly #gestures = new Map<number, Gesture>();

  constructor(parts: TouchParts) {
    this.#parts = parts;
  }

  handle(phase: TouchPhase, x: number, y: number, pointer: number): void {
    if (phase === 'down') {
      if (this.#gestures.has(pointer)) this.#end(pointer, 'cancel', x, y);
      const gesture = this.#begin(x, y, pointer);
      if (gesture) this.#gestures.set(pointer, gesture);
      return;
    }
    const gesture = this.#gestures.get(pointer);
    if (!gesture) return;
    if (phase === 'move') {
      if (gesture.kind === 'view') this.#move(gesture.press, x, y, pointer);
      if (gesture.kind === 'status' && y - gesture.startY > PULL_DP) {
        this.#gestures.set(pointer, { kind: 'spent' });
        this.#parts.shade.open();
      }
      return;
    }
    this.#end(pointer, phase, x, y);
  }

  /** Cancels all touches, as when the screen goes dark or another window comes up. */
  cancelAll(): void {
    for (const pointer of [...this.#gestures.keys()]) this.#end(pointer, 'cancel', 0, 0);
  }

  #begin(x: number, y: number, pointer: number): Gesture | undefined {
    const region = this.#parts.layout.regionAt(x, y);
    switch (region.kind) {
      case 'keyboard':
        this.#parts.keyboard.press(pointer, x, y);
        return { kind: 'key' };
      case 'status':
        return { kind: 'status', startY: y };
      case 'navigation':
        return { kind: 'navigation', button: region.button };
      case 'outside':
        return { kind: 'outside', window: region.window };
      case 'nothing':
        return undefined;
      case 'window':
        if (this.#parts.ignoresInput(region.window)) return { kind: 'spent' };
        return { kind: 'view', press: this.#press(region.window, x, y, pointer) };
    }
  }

  #press(window: Window, x: number, y: number, pointer: number): Press {
    window.bringUp();
    const path = viewsAt(window.placedRoot, window.clip, x, y, this.#parts.core.nowMs);
    const inner = [...path].reverse();
    let stopped = false;
    for (const { view } of inner) if (view instanceof ScrollBase && view.hold()) stopped = true;
    const samples = [{ ms: this.#parts.core.nowMs, x, y }];
    const press: Press = {
      window,
      path,
      target: undefined,
      claimed: undefined,
      startX: x,
      startY: y,
      lastX: x,
      lastY: y,
      samples,
      dragging: undefined,
      longPress: undefined,
      // A touch that stops a coasting list does not also tap the row below it.
      spent: stopped,
    };
    if (stopped) return press;
    for (const seen of inner) {
      const { view, box } = seen;
      if (view.enabled && view.touch({ phase: 'down', x: x - box.left, y: y - box.top, pointer })) {
        press.claimed = seen;
        return press;
      }
      if (view.clickable) break;
    }
    press.target = inner.find(({ view }) => view.clickable);
    const target = press.target?.view;
    if (!target?.enabled) return press;
    target.pressed = true;
    press.longPress = this.#parts.clock.after(this.#parts.core.display.longPressMs, () => this.#longPress(press));
    return press;
  }

  #longPress(press: Press): void {
    const view = press.target?.view;
    press.longPress = undefined;
    if (!view?.longClickable) return;
    press.spent = true;
    view.pressed = false;
    if (view instanceof EditField) {
      this.#focusAt(press, view);
      textMenu(press.window, view, this.#parts.clipboard);
      return;
    }
    view.longClick();
  }

  /** Does a long press whose timer is late on a busy machine, where the finger was down for long enough. */
  #pressLate(press: Press): void {
    const { nowMs, display } = this.#parts.core;
    const downMs = press.samples[0]?.ms ?? nowMs;
    if (press.longPress === undefined || nowMs - downMs < display.longPressMs) return;
    press.longPress.cancel();
    this.#longPress(press);
  }

  #move(press: Press, x: number, y: number, pointer: number): void {
    if (press.claimed) {
      const { view, box } = press.claimed;
      view.touch({ phase: 'move', x: x - box.left, y: y - box.top, pointer });
      return;
    }
    press.samples.push({ ms: this.#parts.core.nowMs, x, y });
    const fromX = press.lastX;
    const fromY = press.lastY;
    if (!press.dragging) {
      const dx = x - press.startX;
      const dy = y - press.startY;
      if (Math.max(Math.abs(dx), Math.abs(dy)) < SLOP_DP) return;
      release(press);
      press.dragging = scrollerFor(press.path, dx, dy);
      if (!press.dragging) {
        press.spent ||= !stillOn(press.target, x, y);
        return;
      }
      this.#takeOver(press);
    }
    press.lastX = x;
    press.lastY = y;
    press.dragging.dragBy(press.dragging.axis === 'vertical' ? fromY - y : fromX - x);
  }

  /** Lets a list follow the finger that began last, as two fingers would move the list twice as far. */
  #takeOver(press: Press): void {
    for (const gesture of this.#gestures.values()) {
      if (gesture.kind !== 'view' || gesture.press === press || gesture.press.dragging !== press.dragging) continue;
      gesture.press.dragging = undefined;
      gesture.press.spent = true;
      gesture.press.path = [];
    }
  }

  #end(pointer: number, phase: 'up' | 'cancel', x: number, y: number): void {
    const gesture = this.#gestures.get(pointer);
    this.#gestures.delete(pointer);
    if (!gesture) return;
    const up = phase === 'up';
    switch (gesture.kind) {
      case 'key':
        if (up) this.#parts.keyboard.release(pointer, x, y);
        else this.#parts.keyboard.cancel(pointer);
        return;
      case 'navigation': {
        const region = up ? this.#parts.layout.regionAt(x, y) : undefined;
        if (region?.kind === 'navigation' && region.button === gesture.button && gesture.button) {
          this.#parts.navigate(gesture.button);
        }
        return;
      }
      case 'outside':
        if (up) gesture.window.onDismiss?.();
        return;
      case 'status':
      case 'spent':
        return;
      case 'view':
        this.#lift(gesture.press, up, x, y, pointer);
    }
  }

  #lift(press: Press, up: boolean, x: number, y: number, pointer: number): void {
    if (press.claimed) {
      const { view, box } = press.claimed;
      view.touch({ phase: up ? 'up' : 'cancel', x: x - box.left, y: y - box.top, pointer });
      return;
    }
    const { dragging, target } = press;
    if (up) this.#pressLate(press);
    release(press);
    if (dragging) {
      if (up) this.#move(press, x, y, pointer);
      const speed = up ? speedOf(press.samples, this.#parts.core.nowMs) : { x: 0, y: 0 };
      dragging.release(-(dragging.axis === 'vertical' ? speed.y : speed.x));
      return;
    }
    if (!up || press.spent || !target?.view.enabled || !stillOn(target, x, y)) return;
    if (target.view instanceof EditField) {
      this.#focusAt(press, target.view);
      return;
    }
    target.view.click();
  }

  #focusAt(press: Press, field: EditField): void {
    const box = press.target?.box;
    if (!box) return;
    const { core, keyboard } = this.#parts;
    press.window.focus(field);
    keyboard.focusChanged();
    field.placeCaret(press.startX - box.left, press.startY - box.top, core.drawing.text, core.display.fontScale);
  }
}

function release(press: Press): void {
  press.longPress?.cancel();
  press.longPress = undefined;
  if (press.target) press.target.view.pressed = false;
}

/** Returns the innermost list that can move in the finger's direction, else the innermost one along that line. */
function scrollerFor(path: readonly VisibleView[], dx: number, dy: number): ScrollBase | undefined {
  const axis = Math.abs(dy) >= Math.abs(dx) ? 'vertical' : 'horizontal';
  const direction = axis === 'vertical' ? -dy : -dx;
  const along = path.map(({ view }): View => view).filter((view) => view instanceof ScrollBase && view.axis === axis);
  const scrollers = along.reverse().filter((view): view is ScrollBase => view instanceof ScrollBase && view.most > 0);
  return scrollers.find((view) => view.canMove(direction)) ?? scrollers[0];
}

function stillOn(target: VisibleView | undefined, x: number, y: number): boolean {
  if (!target) return false;
  const around: Rect = target.shown;
  return (
    x >= around.left - SLOP_DP &&
    y >= around.top - SLOP_DP &&
    x < around.left + around.width + SLOP_DP &&
    y < around.top + around.height + SLOP_DP
  );
}
