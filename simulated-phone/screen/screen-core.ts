import type { Drawing } from '../ui/drawing.js';
import type { Motion } from '../ui/motion.js';
import { ChangeTracker } from './change-tracker.js';
import { Display } from './display.js';
import type { ScreenSystem } from './screen-system.js';

/** The present content of the windows. */
interface ScreenContent {
  motions(): Motion[];
  /** Whether the window in front is secure. */
  secure(): boolean;
}

/** The parts of a screen that all others share: the phone around it, the shape of the display, and its changes. */
export class ScreenCore {
  readonly system: ScreenSystem;
  readonly drawing: Drawing;
  readonly display: Display;
  readonly changes: ChangeTracker;
  /** Whether the display is lit. */
  awake = false;
  /** Whether the phone was switched off. */
  closed = false;
  readonly #content: ScreenContent;

  constructor(system: ScreenSystem, drawing: Drawing, content: ScreenContent) {
    this.system = system;
    this.drawing = drawing;
    this.#content = content;
    this.display = new Display(system.identity.model.screen, system.settings);
    this.changes = new ChangeTracker(system.clock, {
      black: () => this.black,
      motions: () => (this.awake && !this.closed ? content.motions() : []),
    });
  }

  get nowMs(): number {
    return this.system.clock.monotonicMs();
  }

  /** Whether nothing shows. */
  get black(): boolean {
    return !this.awake || this.closed || this.#content.secure();
  }

  /** The zone that the phone's clock shows. */
  get timeZone(): string {
    return this.system.properties.get('persist.sys.timezone') || this.system.network.exit.timezone;
  }

  /** Notes that something on the screen has changed; accessibility is notified when it is `eventful`. */
  note(eventful: boolean): void {
    if (!this.closed) this.changes.note(eventful);
  }
}
