import type { Clock } from '../../kit/async/clock.js';
import type { TouchPhase } from '../system/system.js';
import type { AppRuntime } from './app-runtime.js';
import { KEY } from '../ui/key-codes.js';
import { KeyInput } from './key-input.js';
import type { KeyboardControl } from './keyboard-control.js';
import type { Layout } from './layout.js';
import type { Overlays } from './overlays.js';
import type { ScreenCore } from './screen-core.js';
import type { Shade } from './shade.js';
import type { NavigationButton } from './system-bars.js';
import { TouchInput } from './touch-input.js';
import type { Window } from './window.js';

export interface SystemInputParts {
  core: ScreenCore;
  /** The phone's clock, whose timers run as if an app had set them. */
  clock: Pick<Clock, 'after'>;
  layout: Layout;
  apps: AppRuntime;
  keyboard: KeyboardControl;
  overlays: Overlays;
  shade: Shade;
  activeWindow: () => Window | undefined;
}

/** Keys that never come to an app. */
const SYSTEM_KEYS: ReadonlySet<number> = new Set([
  ...[KEY.HOME, KEY.APP_SWITCH, KEY.POWER, KEY.SLEEP, KEY.WAKEUP],
  ...[KEY.VOLUME_UP, KEY.VOLUME_DOWN, KEY.VOLUME_MUTE],
]);

/** Handles fingers and keys, and the actions of the system itself: navigation, power, the clipboard. */
export class SystemInput {
  /** Text that COPY stores and PASTE types. */
  readonly clipboard = { text: '' };
  readonly #parts: SystemInputParts;
  readonly #touches: TouchInput;
  readonly #keys: KeyInput;

  constructor(parts: SystemInputParts) {
    this.#parts = parts;
    const navigate = (button: NavigationButton): void => this.#navigate(button);
    const ignoresInput = (window: Window | undefined): boolean => parts.apps.ignoresInput(window);
    this.#touches = new TouchInput({ ...parts, clipboard: this.clipboard, navigate, ignoresInput });
    this.#keys = new KeyInput({
      ...parts,
      clipboard: this.clipboard,
      navigate,
      setAwake: (awake) => this.#setAwake(awake),
    });
  }

  /** Takes a touch at a place, dp. */
  touch(phase: TouchPhase, x: number, y: number, pointer: number): void {
    this.#touches.handle(phase, x, y, pointer);
  }

  key(code: number, phase: 'down' | 'up'): void {
    const isOfApp = !SYSTEM_KEYS.has(code) && this.#parts.shade.window === undefined;
    if (isOfApp && this.#parts.apps.ignoresInput(this.#parts.activeWindow())) return;
    this.#keys.handle(code, phase);
  }

  cancelTouches(): void {
    this.#touches.cancelAll();
  }

  #navigate(button: NavigationButton): void {
    const { apps, keyboard, shade } = this.#parts;
    const wasOpen = shade.window !== undefined;
    shade.close();
    if (button === 'home') apps.home();
    else if (button === 'recents') apps.recents();
    else if (!wasOpen && !keyboard.hide()) apps.back();
  }

  #setAwake(awake: boolean): void {
    const { core, shade } = this.#parts;
    if (awake === core.awake) return;
    this.cancelTouches();
    core.awake = awake;
    if (!awake) shade.close();
    core.note(true);
  }
}
