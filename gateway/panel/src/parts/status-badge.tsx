import type { ReactNode } from 'react';
import classes from './parts.module.css';

/** What a state means to a person: fine, at work, look at it, broken, or nothing in particular. */
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
  waiting: 'work',
  pending: 'work',
  problem: 'warn',
  failed: 'bad',
};

/** A state in its colour, always with its word. `tone` overrides: a running job is at work, a running phone is fine. */
export function StatusBadge({ state, tone, children }: { state: string; tone?: Tone; children?: ReactNode }) {
  return (
    <span className={classes.badge} data-tone={tone ?? TONES[state] ?? 'idle'}>
      {children ?? state}
    </span>
  );
}
