import type { Machine } from '../machine/machine.js';
import { WebDriverRefusal } from './web-driver-refusal.js';

/**
 * Bounds of one request: its fingers, the steps of all fingers together, and their time, ms. Steps without a duration follow each other at
 * once.
 */
const MAX_FINGERS = 10;
const MAX_STEPS = 1_000;
const MAX_TIME_MS = 60_000;

/** A moving finger is reported this often, ms. */
const MOVE_EVERY_MS = 16;

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

interface Finger {
  steps: readonly Record<string, unknown>[];
  x: number;
  y: number;
  isDown: boolean;
}

/**
 * Performs the actions of touch pointers in WebDriver's `POST actions`. The first steps of all fingers are performed together, then their
 * second steps, and so on. When it ends early, no finger stays on the glass.
 */
export async function performPointerActions(
  machine: Machine,
  { actions }: Record<string, unknown>,
  boxOf: (elementId: string) => Box,
  signal: AbortSignal,
): Promise<void> {
  const fingers = readFingers(actions);
  let leftMs = MAX_TIME_MS;
  const touch = (phase: 'down' | 'move' | 'up' | 'cancel', pointer: number, { x, y }: Finger): void =>
    machine.screen.touch({ phase, x, y, pointer });
  try {
    for (let at = 0; at < Math.max(0, ...fingers.map(({ steps }) => steps.length)); at++) {
      const moves: { pointer: number; finger: Finger; from: { x: number; y: number }; to: { x: number; y: number } }[] =
        [];
      let lastsMs = 0;
      for (const [pointer, finger] of fingers.entries()) {
        const step = finger.steps[at];
        if (step === undefined) continue;
        lastsMs = Math.max(lastsMs, durationOf(step));
        if (step['type'] === 'pointerDown' || step['type'] === 'pointerUp') {
          finger.isDown = step['type'] === 'pointerDown';
          touch(finger.isDown ? 'down' : 'up', pointer, finger);
        } else if (step['type'] === 'pointerMove') {
          moves.push({ pointer, finger, from: { x: finger.x, y: finger.y }, to: targetOf(step, finger, boxOf) });
        }
      }
      leftMs -= lastsMs;
      if (leftMs < 0) throw new WebDriverRefusal(400, 'invalid argument', `Actions last at most ${MAX_TIME_MS} ms`);
      for (let passedMs = 0; passedMs < lastsMs; passedMs += MOVE_EVERY_MS) {
        await machine.clock.sleep(Math.min(MOVE_EVERY_MS, lastsMs - passedMs), signal);
        const part = Math.min(1, (passedMs + MOVE_EVERY_MS) / lastsMs);
        for (const { pointer, finger, from, to } of moves) {
          finger.x = from.x + (to.x - from.x) * part;
          finger.y = from.y + (to.y - from.y) * part;
          if (finger.isDown && part < 1) touch('move', pointer, finger);
        }
      }
      for (const { pointer, finger, to } of moves) {
        Object.assign(finger, to);
        if (finger.isDown) touch('move', pointer, finger);
      }
    }
  } finally {
    for (const [pointer, finger] of fingers.entries()) if (finger.isDown) touch('cancel', pointer, finger);
  }
}

function readFingers(actions: unknown): Finger[] {
  const sources = (Array.isArray(actions) ? actions : []) as { type?: unknown; actions?: unknown }[];
  const pointers = sources.filter((source) => source.type === 'pointer');
  if (pointers.length === 0 || pointers.length > MAX_FINGERS)
    throw new WebDriverRefusal(
      400,
      'invalid argument',
      `'actions' must have 1 to ${MAX_FINGERS} sources of type pointer`,
    );
  let count = 0;
  return pointers.map(({ actions: steps }) => {
    if (!Array.isArray(steps) || steps.some((step) => typeof step !== 'object' || step === null))
      throw new WebDriverRefusal(400, 'invalid argument', "'actions' of a source must be a list of objects");
    count += steps.length;
    if (count > MAX_STEPS)
      throw new WebDriverRefusal(400, 'invalid argument', `Sources may have ${MAX_STEPS} actions together`);
    return { steps: steps as Record<string, unknown>[], x: 0, y: 0, isDown: false };
  });
}

function durationOf({ duration = 0 }: Record<string, unknown>): number {
  if (typeof duration === 'number' && duration >= 0 && duration <= MAX_TIME_MS) return duration;
  throw new WebDriverRefusal(400, 'invalid argument', `'duration' must be 0 to ${MAX_TIME_MS} ms`);
}

/**
 * Returns the place to which a step moves a finger. The step gives a place on the display, or an offset from the finger or from the middle
 * of an element.
 */
function targetOf(step: Record<string, unknown>, from: Finger, boxOf: (id: string) => Box): { x: number; y: number } {
  const { x, y, origin = 'viewport' } = step;
  if (typeof x !== 'number' || typeof y !== 'number')
    throw new WebDriverRefusal(400, 'invalid argument', "'x' and 'y' of a move must be numbers");
  if (origin === 'viewport') return { x, y };
  if (origin === 'pointer') return { x: from.x + x, y: from.y + y };
  const id = typeof origin === 'object' && origin !== null ? (Object.values(origin) as unknown[])[0] : origin;
  const box = boxOf(String(id));
  return { x: box.x + box.width / 2 + x, y: box.y + box.height / 2 + y };
}
