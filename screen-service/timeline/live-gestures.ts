import { create } from '@bufbuild/protobuf';
import type { Clock, Timer } from '../../kit/clock.js';
import { TouchPhase, type InputEvent } from '../../proto/gen/cloudphone/screen/v1/input_pb.js';
import {
  type SendInputRequest,
  SendInputRequestSchema,
} from '../../proto/gen/cloudphone/screen/v1/screen_service_pb.js';

/** Input without a pause of this length is one entry: a gesture, or some typing, ms. */
const PAUSE_MS = 600;

/** Events of one entry; beyond, moves are left out. The contract allows as many in one request. */
const EVENTS_MOST = 200;

/** Joins the input of a live screen, which comes in pieces of a few milliseconds, to gestures. */
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

  /** `isHeld`: a finger is still on the screen, so the gesture goes on. */
  add(events: readonly InputEvent[], isHeld: boolean): void {
    for (const event of events) if (this.#events.length < EVENTS_MOST || !isMove(event)) this.#events.push(event);
    this.#timer?.cancel();
    // Fingers come up by themselves after 30 s at the latest.
    if (isHeld && this.#events.length < EVENTS_MOST * 2) return;
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
