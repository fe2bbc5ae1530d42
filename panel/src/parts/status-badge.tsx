import type { ReactNode } from 'react';
import classes from './parts.module.css';

/** The meaning of a state for people: fine, in progress, needs attention, broken, or neutral. */
export type Tone = 'good' | 'work' | 'warn' | 'bad' | 'idle';

/** Tones of the states that the API has for devices, jobs, snapshots, groups, deliveries and health. */
const TONES: Record<string, Tone> = {
  running: 'good',
  done: 'good',
  ready: 'good',
  ok: 'good',
  delivered: 'good',
  active: 'good',
  creating: 'work',
  starting: 'work',
  stopping: 'work',
  deleting: 'work',
  saving: 'work',
  recording: 'work',
  waiting: 'work',
  pending: 'work',
  problem: 'warn',
  interrupted: 'warn',
  failed: 'bad',
};

/** A state in its colour, always with its word. `tone` overrides the colour: a running job is in progress, a running phone is fine. */
export function StatusBadge({ state, tone, children }: { state: string; tone?: Tone; children?: ReactNode }) {
  return (
    <span className={classes.badge} data-tone={tone ?? TONES[state] ?? 'idle'}>
      {children ?? state}
    </span>
  );
}
