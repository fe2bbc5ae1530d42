import { create } from '@bufbuild/protobuf';
import type { Clock, Timer } from '../../kit/async/clock.js';
import { TouchPhase, type InputEvent } from '../../proto/gen/cloudphone/screen/v1/input_pb.js';
import {
  type SendInputRequest,
  SendInputRequestSchema,
} from '../../proto/gen/cloudphone/screen/v1/screen_service_pb.js';

/** The shortest pause between two entries, ms. Input without such a pause is one entry: a gesture, or some typing. */
const PAUSE_MS = 600;

/** Most events of one entry; moves beyond it are left out. The contract allows the same number of events in one request. */
const MAX_EVENTS = 200;

/** An entry ends with this many events in all. The events of a viewer that never pauses would fill the memory. */
const MAX_ALL_EVENTS = 2 * MAX_EVENTS;

/** Joins the input of a live screen into gestures. The input comes in pieces of a few milliseconds. */
export class LiveGestures {
  readonly #clock: Clock;
  readonly #onGesture: (request: SendInputRequest) => void;
  #events: InputEvent[] = [];
  #timer: Timer | undefined;

  constructor(clock: Clock, onGesture: (request: SendInputRequest) => void) {
    this.#clock = clock;
    this.#onGesture = onGesture;
  }

  /** Whether a gesture has begun. */
  get isOpen(): boolean {
    return this.#events.length > 0;
  }

  /** Keeps the gesture open until `add`, as input is on its way to the phone. It belongs to the gesture that was open when it began. */
  wait(): void {
    this.#timer?.cancel();
  }

  /** Adds input, which may be none after `wait`. `isHeld`: a finger is still on the screen, so the gesture goes on. */
  add(events: readonly InputEvent[], isHeld: boolean): void {
    for (const event of events) if (this.#events.length < MAX_EVENTS || !isMove(event)) this.#events.push(event);
    this.#timer?.cancel();
    if (this.#events.length >= MAX_ALL_EVENTS) {
      this.end();
      return;
    }
    // Fingers come up by themselves after 30 s at the latest.
    if (isHeld) return;
    this.#timer = this.#clock.after(PAUSE_MS, () => this.end());
  }

  /** Ends the gesture: the viewer has left, or paused. */
  end(): void {
    this.#timer?.cancel();
    const events = this.#events;
    this.#events = [];
    if (events.length > 0) this.#onGesture(create(SendInputRequestSchema, { events }));
  }
}

function isMove({ kind }: InputEvent): boolean {
  return kind.case === 'touch' && kind.value.phase === TouchPhase.MOVE;
}
