import type { InputEvent, LiveScreenSize } from './live-connection.ts';

/** A point of the page. */
export interface PagePoint {
  clientX: number;
  clientY: number;
}

/** The part of a pointer's event that becomes a touch. */
export interface PointerMoment extends PagePoint {
  /** When it happened, on the page's clock, ms, as its handler may run much later. */
  timeStamp: number;
}

/** The place of a canvas on the page, in the page's pixels. */
type Box = Pick<DOMRect, 'left' | 'top' | 'width' | 'height'>;

/** How many fingers are for pointers. Phones take ten fingers; the last one is for the wheel. */
const FINGERS = 9;
const WHEEL_FINGER = 9;
/** The wheel's finger is lifted when the wheel has rested for this long, ms. */
const WHEEL_REST_MS = 140;

/** The times of touches begin again from 0 here, ms. The contract's number holds 24 days, and a page can be open for longer. */
const AT_MS_END = 2 ** 31;

/** Turns pointers and the wheel over a live screen into fingers on the phone's screen. */
export class Fingers {
  readonly #send: (events: readonly InputEvent[]) => void;
  readonly #boxOf: () => Box | undefined;
  /** The fingers that are down, with their places, by pointer of the browser. */
  readonly #down = new Map<number, { finger: number; x: number; y: number }>();
  #screen: LiveScreenSize | undefined;
  #wheel: { x: number; y: number; timer: ReturnType<typeof setTimeout> } | undefined;

  constructor(boxOf: () => Box | undefined, send: (events: readonly InputEvent[]) => void) {
    this.#boxOf = boxOf;
    this.#send = send;
  }

  /** Is called when the screen was turned, or is another one: no finger is on it any more. */
  setScreen(screen: LiveScreenSize): void {
    this.#screen = screen;
    this.#down.clear();
    if (this.#wheel !== undefined) clearTimeout(this.#wheel.timer);
    this.#wheel = undefined;
  }

  press(pointer: number, at: PointerMoment): void {
    const point = this.#pointOf(at);
    const finger = this.#freeFinger();
    if (point === undefined || finger === undefined || this.#down.has(pointer)) return;
    this.#liftWheel();
    this.#down.set(pointer, { finger, ...point });
    this.#touch({ phase: 'down', ...point, pointer: finger }, at.timeStamp);
  }

  move(pointer: number, at: PointerMoment): void {
    const held = this.#down.get(pointer);
    const point = this.#pointOf(at);
    if (held === undefined || point === undefined || (held.x === point.x && held.y === point.y)) return;
    Object.assign(held, point);
    this.#touch({ phase: 'move', ...point, pointer: held.finger }, at.timeStamp);
  }

  lift(pointer: number, { timeStamp }: Pick<PointerMoment, 'timeStamp'>): void {
    const held = this.#down.get(pointer);
    if (held === undefined) return;
    this.#down.delete(pointer);
    this.#touch({ phase: 'up', x: held.x, y: held.y, pointer: held.finger }, timeStamp);
  }

  /** Scrolls by dragging a finger against the wheel. A finger that comes to an edge is put down again in the middle. */
  turnWheel(at: PointerMoment, deltaX: number, deltaY: number): void {
    const point = this.#pointOf(at);
    const screen = this.#screen;
    const box = this.#boxOf();
    if (point === undefined || screen === undefined || box === undefined || this.#down.size > 0) return;
    const scale = screen.width / box.width;
    if (this.#wheel === undefined) {
      this.#wheel = { ...point, timer: setTimeout(() => this.#liftWheel(), WHEEL_REST_MS) };
      this.#touch({ phase: 'down', ...point, pointer: WHEEL_FINGER }, at.timeStamp);
    }
    const wheel = this.#wheel;
    const [x, y] = [wheel.x - deltaX * scale, wheel.y - deltaY * scale];
    const isOff = x < 1 || y < 1 || x > screen.width - 2 || y > screen.height - 2;
    wheel.x = within(x, screen.width);
    wheel.y = within(y, screen.height);
    this.#touch({ phase: 'move', x: wheel.x, y: wheel.y, pointer: WHEEL_FINGER }, at.timeStamp);
    clearTimeout(wheel.timer);
    if (isOff) this.#liftWheel();
    else wheel.timer = setTimeout(() => this.#liftWheel(), WHEEL_REST_MS);
  }

  #liftWheel(): void {
    if (this.#wheel === undefined) return;
    const { x, y, timer } = this.#wheel;
    clearTimeout(timer);
    this.#wheel = undefined;
    this.#touch({ phase: 'up', x, y, pointer: WHEEL_FINGER }, performance.now());
  }

  #touch(touch: Extract<InputEvent, { touch: object }>['touch'], timeStamp: number): void {
    this.#send([{ touch, at_ms: Math.round(timeStamp) % AT_MS_END }]);
  }

  #freeFinger(): number | undefined {
    const used = new Set([...this.#down.values()].map(({ finger }) => finger));
    return Array.from({ length: FINGERS }, (_, finger) => finger).find((finger) => !used.has(finger));
  }

  /** Returns the phone's pixel under a point of the page. It is on the screen also when the pointer has left the screen. */
  #pointOf({ clientX, clientY }: PagePoint): { x: number; y: number } | undefined {
    const box = this.#boxOf();
    const screen = this.#screen;
    if (box === undefined || screen === undefined || box.width === 0) return undefined;
    return {
      x: within(((clientX - box.left) * screen.width) / box.width, screen.width),
      y: within(((clientY - box.top) * screen.height) / box.height, screen.height),
    };
  }
}

function within(value: number, size: number): number {
  return Math.max(0, Math.min(size - 1, Math.round(value)));
}
