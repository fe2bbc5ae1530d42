import { ApiError } from '../../kit/errors.js';
import type { Point } from '../tree/rectangle.js';
import { keyCode } from './keys.js';

/** One raw event, as it was asked for. */
export type RawEvent =
  | { kind: 'touch'; phase: 'down' | 'move' | 'up'; x: number; y: number; pointer: number }
  | { kind: 'key'; name: string; phase: 'down' | 'up' | 'press' }
  | { kind: 'wait'; ms: number };

/** Commands that go to the phone together, and the pause after them. */
interface InputBatch {
  commands: string[];
  waitMs: number;
}

export interface InputPlan {
  batches: InputBatch[];
  /** To be held against the screen's size before anything is sent. */
  points: (Point & { field: string })[];
}

/** Waits of one request may add up to this, ms (the contract's figure). */
const MAX_WAIT_MS = 60_000;

/** A key that is held for this long is a long press, as Android counts, ms. */
const LONG_PRESS_MS = 500;

/** `input motionevent` and `keyevent` start a process each on old phones; more in one go would run into the time limit. */
const COMMANDS_IN_ONE = 20;

/**
 * Checks all events and turns them into commands for the phone's `input`; throws bad_request, naming the event, when any of them
 * cannot be sent, so that all are sent or none. The phone's `input` moves one finger, and presses keys whole: a key that goes down
 * must come up again, with other keys pressed meanwhile (which makes a combination), or after a wait (a long press).
 */
export function planInput(events: readonly RawEvent[]): InputPlan {
  const plan: InputPlan = { batches: [{ commands: [], waitMs: 0 }], points: [] };
  const add = (command: string): void => {
    const last = plan.batches.at(-1);
    if (last !== undefined && last.waitMs === 0 && last.commands.length < COMMANDS_IN_ONE) last.commands.push(command);
    else plan.batches.push({ commands: [command], waitMs: 0 });
  };
  let touching = false;
  let waitedMs = 0;
  let chord: { down: string[]; codes: number[]; heldMs: number } | undefined;
  for (const [at, event] of events.entries()) {
    const field = `events[${at}]`;
    if (event.kind === 'wait') {
      waitedMs += event.ms;
      if (waitedMs > MAX_WAIT_MS) {
        throw new ApiError('bad_request', `${field}.wait.ms: the waits add up to more than ${MAX_WAIT_MS} ms.`);
      }
      if (chord !== undefined) chord.heldMs += event.ms;
      else {
        const last = plan.batches.at(-1);
        if (last !== undefined) last.waitMs += event.ms;
      }
      continue;
    }
    if (event.kind === 'touch') {
      if (chord !== undefined) throw keyStillDown(chord.down, field);
      if (event.pointer !== 0) {
        throw new ApiError(
          'bad_request',
          `${field}.touch.pointer: ${event.pointer} is not possible, this phone takes one finger (0).`,
        );
      }
      if (event.phase === 'down' ? touching : !touching) {
        throw new ApiError(
          'bad_request',
          `${field}.touch.phase: ${event.phase} is not possible while the finger is ${touching ? 'down' : 'up'}.`,
        );
      }
      touching = event.phase !== 'up';
      plan.points.push({ x: event.x, y: event.y, field: `${field}.touch` });
      add(`input motionevent ${event.phase.toUpperCase()} ${event.x} ${event.y}`);
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
      add(chordCommand(chord.codes, chord.heldMs));
      chord = undefined;
      continue;
    }
    if (chord === undefined && event.phase === 'press') {
      add(`input keyevent ${code}`);
      continue;
    }
    chord ??= { down: [], codes: [], heldMs: 0 };
    chord.codes.push(code);
    if (event.phase === 'down') chord.down.push(String(code));
  }
  if (chord !== undefined) throw keyStillDown(chord.down, 'events');
  if (touching)
    throw new ApiError('bad_request', 'events: the finger goes down and never up. End with a touch of phase up.');
  return plan;
}

function chordCommand(codes: readonly number[], heldMs: number): string {
  if (codes.length > 1) return `input keycombination ${codes.join(' ')}`;
  return heldMs >= LONG_PRESS_MS
    ? `input keyevent --longpress ${codes.join(' ')}`
    : `input keyevent ${codes.join(' ')}`;
}

function keyStillDown(codes: readonly string[], field: string): ApiError {
  return new ApiError(
    'bad_request',
    `${field}: a key (code ${codes.join(', ')}) is still down. A key must come up before the finger moves and before the events end.`,
  );
}
