import { ApiError } from '../../kit/errors/api-error.js';
import type { Point } from '../shapes/rectangle.js';
import { holdCommand } from './command/gestures.js';
import { keyCode } from './command/keys.js';
import type { HeldFingers } from './touch/fingers.js';
import type { Touch } from '../shapes/touch.js';

/** One raw event of a request. */
export type RawEvent =
  /** `atMs`: when the touch was made, on a clock of the sender. Absent: the touch is sent at once after the events before it. */
  | ({ kind: 'touch'; atMs?: number | undefined } & Touch)
  | { kind: 'key'; name: string; phase: 'down' | 'up' | 'press' }
  | { kind: 'text'; text: string }
  | { kind: 'wait'; ms: number };

/** A part of the input that is sent together, or a wait. */
export type InputStep =
  | { kind: 'touches'; touches: Touch[]; atMs?: number }
  | { kind: 'keys'; commands: string[] }
  /** `field`: its place in the request, for error texts. */
  | { kind: 'text'; text: string; field: string }
  | { kind: 'wait'; ms: number };

export interface InputPlan {
  steps: InputStep[];
  /** The points to compare with the screen's size before anything is sent. */
  points: (Point & { field: string })[];
}

/** Waits of one request, and the times between its touches, may add up to this, ms (the contract's figure). */
const MAX_WAIT_MS = 60_000;

/** Texts of one request may add up to this, characters (the contract's figure). */
const MAX_TEXT = 10_000;

/** `input keyevent` starts a process on old phones; more in one go would run into the time limit. */
const COMMANDS_IN_ONE = 20;

/**
 * Checks all events, and joins those that can be sent together. `down` has the fingers that are on the screen already. Throws bad_request,
 * naming the event, if an event cannot be sent. In that case none of the events is sent.
 *
 * The phone's `input` command presses and releases a key in one go, so a key that goes down must come up again. Keys that are pressed while
 * another key is down form a combination with it. A wait while a key is down makes a long press.
 */
export function planInput(
  events: readonly RawEvent[],
  { down, most }: Pick<HeldFingers, 'down' | 'most'> = { down: new Map(), most: 0 },
): InputPlan {
  const plan: InputPlan = { steps: [], points: [] };
  const touching = new Set(down.keys());
  let waitedMs = 0;
  let touchedMs: number | undefined;
  let textLength = 0;
  let chord: { down: string[]; codes: number[]; heldMs: number } | undefined;
  for (const [at, event] of events.entries()) {
    const field = `events[${at}]`;
    if (event.kind === 'wait') {
      waitedMs += event.ms;
      assertShort(waitedMs, `${field}.wait.ms`);
      if (chord !== undefined) chord.heldMs += event.ms;
      else addWait(plan.steps, event.ms);
      continue;
    }
    if (event.kind === 'text') {
      if (chord !== undefined) throw keyStillDown(chord.down, field);
      textLength += Array.from(event.text).length;
      if (textLength > MAX_TEXT) {
        throw new ApiError('bad_request', `${field}.text: the texts add up to more than ${MAX_TEXT} characters.`);
      }
      plan.steps.push({ kind: 'text', text: event.text, field: `${field}.text.text` });
      continue;
    }
    if (event.kind === 'touch') {
      if (chord !== undefined) throw keyStillDown(chord.down, field);
      const { phase, pointer, x, y, atMs } = event;
      if (atMs !== undefined) waitedMs += Math.max(0, atMs - (touchedMs ?? atMs));
      touchedMs = atMs;
      assertShort(waitedMs, `${field}.at_ms`);
      assertPossible(event, touching, most, `${field}.touch`);
      if (phase === 'down') touching.add(pointer);
      if (phase === 'up') touching.delete(pointer);
      plan.points.push({ x, y, field: `${field}.touch` });
      addTouch(plan.steps, { phase, pointer, x, y }, atMs);
      continue;
    }
    const code = keyCode(event.name, `${field}.key.name`);
    if (event.phase === 'up') {
      const place = chord?.down.indexOf(String(code)) ?? -1;
      if (chord === undefined || place < 0) {
        throw new ApiError('bad_request', `${field}.key.phase: ${event.name} cannot come up, it is not down.`);
      }
      chord.down.splice(place, 1);
      if (chord.down.length > 0) continue;
      addKeys(plan.steps, holdCommand(chord.codes, chord.heldMs));
      chord = undefined;
      continue;
    }
    if (chord === undefined && event.phase === 'press') {
      addKeys(plan.steps, `input keyevent ${code}`);
      continue;
    }
    chord ??= { down: [], codes: [], heldMs: 0 };
    chord.codes.push(code);
    if (event.phase === 'down') chord.down.push(String(code));
  }
  if (chord !== undefined) throw keyStillDown(chord.down, 'events');
  return plan;
}

function assertShort(waitedMs: number, field: string): void {
  if (waitedMs <= MAX_WAIT_MS) return;
  throw new ApiError('bad_request', `${field}: the waits and the times between touches add up to more than ${MAX_WAIT_MS} ms.`); // prettier-ignore
}

function assertPossible(
  { phase, pointer }: RawEvent & { kind: 'touch' },
  touching: ReadonlySet<number>,
  most: number,
  field: string,
): void {
  const isDown = touching.has(pointer);
  if ((phase === 'down') === isDown) {
    throw new ApiError(
      'bad_request',
      `${field}.phase: ${phase} is not possible while finger ${pointer} is ${isDown ? 'down' : 'up'}. ` +
        (isDown ? 'Lift it first.' : 'Put it down first; a finger at rest is lifted after 30 s.'),
    );
  }
  if (phase === 'down' && touching.size >= most) {
    throw new ApiError(
      'bad_request',
      `${field}.pointer: this phone takes ${most === 1 ? 'one finger' : `${most} fingers`} at a time, and ` +
        `${[...touching].join(', ')} ${touching.size === 1 ? 'is' : 'are'} down. Lift one first.`,
    );
  }
}

function addTouch(steps: InputStep[], touch: Touch, atMs: number | undefined): void {
  const last = steps.at(-1);
  if (last?.kind === 'touches' && last.atMs === atMs) last.touches.push(touch);
  else steps.push({ kind: 'touches', touches: [touch], ...(atMs !== undefined && { atMs }) });
}

function addKeys(steps: InputStep[], command: string): void {
  const last = steps.at(-1);
  if (last?.kind === 'keys' && last.commands.length < COMMANDS_IN_ONE) last.commands.push(command);
  else steps.push({ kind: 'keys', commands: [command] });
}

function addWait(steps: InputStep[], ms: number): void {
  const last = steps.at(-1);
  if (last?.kind === 'wait') last.ms += ms;
  else if (ms > 0) steps.push({ kind: 'wait', ms });
}

function keyStillDown(codes: readonly string[], field: string): ApiError {
  return new ApiError(
    'bad_request',
    `${field}: a key (code ${codes.join(', ')}) is still down. A key must come up before a touch or a text, and before the events end.`,
  );
}
