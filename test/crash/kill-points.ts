/**
 * The messages of a device service on a job's way to its event, as the database and the webhook service get them. The ones for a short run
 * come first.
 */
export const ways = [
  /** A job is accepted, and claimed by the same write. */
  'accept',
  /** The progress is written, in the middle of the work. */
  'note progress',
  /** A job is finished. */
  'finish',
  'publish job.finished',
  /** A finished job is filed. */
  'file',
  /** A problem is written, or taken away, with its event. */
  'problem',
  'publish health',
  'mark health published',
  /** An event of a filed job is marked as published. */
  'mark published',
  /** The devices of the host, and the jobs that were left behind, are taken over at a start. */
  'take over',
  /** The device changes in the middle of the work. */
  'change',
  /** The webhook service requests the subscribers, in the middle of publishing. */
  'name receivers',
  /** A filed job is taken from its device. */
  'forget',
] as const;

/** `asked`: killed before it happens. `done`: killed when it has happened and the service has no reply yet. */
export const sides = ['done', 'asked'] as const;

export type Way = (typeof ways)[number];
export type KillPoint = `${Way}, ${(typeof sides)[number]}`;

export const killPoints: readonly KillPoint[] = sides.flatMap((side) => ways.map((way) => `${way}, ${side}` as const));

/**
 * Kills a process when it comes by a chosen point. The receiver of the message holds its response until then: nothing is left to chance.
 */
export class Killer {
  readonly #kill: () => Promise<void>;
  readonly #hits = new Map<KillPoint, number>();
  #armed: { point: KillPoint; passes: number; hit: () => void } | undefined;

  /** `kill` ends the process for sure before it resolves. */
  constructor(kill: () => Promise<void>) {
    this.#kill = kill;
  }

  /** How many kills hit a point. */
  hits(point: KillPoint): number {
    return this.#hits.get(point) ?? 0;
  }

  /** How many kills hit each step, for people. */
  table(): string {
    const numbers = (way: Way): string =>
      sides.map((side) => String(this.hits(`${way}, ${side}`)).padStart(7)).join('');
    return [
      ` ${sides.map((side) => side.padStart(6)).join(' ')}  kills at`,
      ...ways.map((way) => `${numbers(way)}  ${way}`),
    ].join('\n');
  }

  /** Waits for the `passes`-th time that the process comes by. */
  arm(point: KillPoint, passes: number): Promise<void> {
    return new Promise((hit) => (this.#armed = { point, passes, hit }));
  }

  /** The process comes by a point. Returns whether it still lives. */
  async pass(point: KillPoint): Promise<boolean> {
    if (this.#armed?.point !== point || --this.#armed.passes > 0) return true;
    const { hit } = this.#armed;
    this.#armed = undefined;
    await this.#kill();
    this.#hits.set(point, this.hits(point) + 1);
    hit();
    return false;
  }
}
