import type { Invocation } from '../command/command.js';
import { UsageError } from '../output/usage-error.js';

/** The source of the phones of a run: new ones, clones of a snapshot, or phones that are leased. */
export type Source = { kind: 'new' } | { kind: 'clone'; snapshot: string } | LeasedSource;

/** What is leased. */
export type LeasedSource =
  { kind: 'device'; device: string } | { kind: 'label'; label: string } | { kind: 'pool'; pool: string };

/** Options that are for leased phones alone. */
const LEASE_OPTIONS = ['wait', 'at-end', 'snapshot'] as const;

/** Returns the source that the options name. Absent options: new phones of the first model. */
export function sourceOf({ options }: Pick<Invocation, 'options'>): Source {
  const names = ['model', 'template', 'device', 'label', 'pool', 'clone-of'] as const;
  const given = names.filter((name) => options.text(name) !== undefined);
  if (given.length > 1)
    throw new UsageError('run: give one of --model, --template, --device, --label, --pool and --clone-of.');
  const [device, label, pool, snapshot] = ['device', 'label', 'pool', 'clone-of'].map((name) => options.text(name));
  if (device !== undefined) return { kind: 'device', device };
  if (label !== undefined) return { kind: 'label', label };
  if (pool !== undefined) return { kind: 'pool', pool };
  const unused = LEASE_OPTIONS.find((name) => options.text(name) !== undefined);
  if (unused !== undefined) throw new UsageError(`run: --${unused} needs --pool, --device or --label.`);
  return snapshot === undefined ? { kind: 'new' } : { kind: 'clone', snapshot };
}
