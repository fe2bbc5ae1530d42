import type { Clock } from '../../../kit/clock.js';
import type { TouchPhase } from '../system.js';
import type { Drawing } from '../ui/drawing.js';
import type { AppRuntime } from './app-runtime.js';
import type { Display } from './display.js';
import { KeyInput, type KeyScene } from './key-input.js';
import type { KeyboardControl } from './keyboard-control.js';
import type { Layout } from './layout.js';
import type { Overlays } from './overlays.js';
import type { Shade } from './shade/shade.js';
import type { NavigationButton } from './system-bars.js';
import { textMenu } from './text-menu.js';
import { TouchInput, type TouchScene } from './touch-input.js';
import type { Window } from './window.js';

export interface SystemInputParts {
  clock: Pick<Clock, 'after'>;
  nowMs: () => number;
  drawing: Drawing;
  display: Display;
  layout: Layout;
  apps: AppRuntime;
  keyboard: KeyboardControl;
  overlays: Overlays;
  shade: Shade;
  awake: () => boolean;
  setAwake: (awake: boolean) => void;
  activeWindow: () => Window | undefined;
}

/** Fingers and keys, and what the system itself does with them: navigation, volume, power, the shade, copying and pasting. */
export class SystemInput {
  /** Text that COPY stores and PASTE types. */
  clipboard = '';
  readonly #parts: SystemInputParts;
  readonly #touches: TouchInput;
  readonly #keys: KeyInput;

  constructor(parts: SystemInputParts) {
    this.#parts = parts;
    this.#touches = new TouchInput(parts.clock, this.#touchScene());
    this.#keys = new KeyInput(this.#keyScene());
  }

  /** dp. */
  touch(phase: TouchPhase, x: number, y: number, pointer: number): void {
    this.#touches.handle(phase, x, y, pointer);
  }

  key(code: number, phase: 'down' | 'up'): void {
    this.#keys.handle(code, phase);
  }

  cancelTouches(): void {
    this.#touches.cancelAll();
  }

  #touchScene(): TouchScene {
    const { drawing, display, keyboard, layout, shade } = this.#parts;
    return {
      nowMs: () => this.#parts.nowMs(),
      regionAt: (x, y) => layout.regionAt(x, y),
      pressKey: (pointer, x, y) => keyboard.press(pointer, x, y),
      releaseKey: (pointer, x, y) => keyboard.release(pointer, x, y),
      cancelKey: (pointer) => keyboard.cancel(pointer),
      navigate: (button) => this.#navigate(button),
      pullDown: () => shade.open(),
      dismiss: (window) => window.onDismiss?.(),
      focusField: (window, field, x, y) => {
        window.focus(field);
        keyboard.focusChanged();
        field.placeCaret(x, y, drawing.text, display.fontScale);
      },
      selectIn: (window, field) =>
        textMenu(window, field, {
          clipboard: () => this.clipboard,
          keep: (text) => {
            this.clipboard = text;
          },
        }),
    };
  }

  #navigate(button: NavigationButton): void {
    const { apps, shade } = this.#parts;
    if (button === 'back') {
      this.#back();
      return;
    }
    shade.close();
    if (button === 'home') apps.home();
    else apps.recents();
  }

  #back(): void {
    const { apps, keyboard, shade } = this.#parts;
    if (shade.window) shade.close();
    else if (!keyboard.hide()) apps.back();
  }

  #keyScene(): KeyScene {
    const { activeWindow, awake, keyboard, overlays, setAwake, shade } = this.#parts;
    return {
      awake,
      activeWindow,
      clipboard: () => this.clipboard,
      keep: (text) => {
        this.clipboard = text;
      },
      wake: () => setAwake(true),
      sleep: () => setAwake(false),
      back: () => this.#back(),
      home: () => this.#navigate('home'),
      recents: () => this.#navigate('recents'),
      notifications: () => (shade.window ? shade.close() : shade.open()),
      changeVolume: (by) => overlays.changeVolume(by),
      enter: (field) => keyboard.enter(field),
    };
  }
}
