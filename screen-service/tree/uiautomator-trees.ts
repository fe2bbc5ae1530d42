import { LRUCache } from 'lru-cache';
import type { Call } from '../../kit/call/call.js';
import { ApiError } from '../../kit/errors/api-error.js';
import { Cancellation } from '../../kit/async/within.js';
import { phoneUnavailable } from '../../phone/link/phone-errors.js';
import type { Foreground } from '../../phone/screen/windows.js';
import { readForeground } from '../display/foreground.js';
import { SharedRuns } from '../link/shared-runs.js';
import { UsualTime } from '../link/usual-time.js';
import type { ReachedPhone } from '../link/reached-phone.js';
import { type DumpOutput, readDumpOutput } from './dump-output.js';
import { parseDump } from './parse-dump.js';
import { BadDump } from './tokenize.js';
import type { TreeDump, TreeSource } from './tree-source.js';
import type { UiTree } from '../shapes/ui-node.js';

/** How often, and for how long, a dump is repeated: a window that is being replaced has no root for a moment. */
const MAX_REPEATS = 5;
const AGAIN_WITHIN_MS = 2_000;

/** The dump goes to the terminal and not to a file. A run that fails leaves an old file in place, which then looks like its output. */
const DUMP = 'uiautomator dump /dev/tty';

/**
 * The compressed dump leaves out views that accessibility finds unimportant. It works on many screens that never idle, where the plain dump
 * fails.
 */
const DUMP_COMPRESSED = 'uiautomator dump --compressed /dev/tty';

/** A file for phones whose commands have no terminal. It is removed before each dump, so that it cannot be an old one. */
const DUMP_FILE = '/data/local/tmp/cloudphone-dump.xml';
const DUMP_BY_FILE = `rm -f ${DUMP_FILE}; uiautomator dump ${DUMP_FILE} >/dev/null 2>&1; cat ${DUMP_FILE}; rm -f ${DUMP_FILE}`;

/**
 * Share of the time limit that the plain dump may take. On a busy screen it gives up by itself only after 10 s, which is longer than
 * callers should wait. So it is cut off in time for a compressed dump.
 */
const PLAIN_SHARE = 0.6;

/** How long a plain dump waits for accessibility to send no event, ms. */
const QUIET_MS = 1_000;

/**
 * How long before the end of a plain dump its tree was read at most. It is the longer of `QUIET_BEFORE_MS` and `AFTER_SHARE` of the dump's
 * whole time. A plain dump reads the tree after accessibility was quiet for a second, and then only prints it. `QUIET_BEFORE_MS` is shorter
 * than that second, because a picture shows a change later than accessibility reports it.
 */
const QUIET_BEFORE_MS = 700;
const AFTER_SHARE = 0.5;

/** The number of activities that are remembered as busy, and for how long, ms; then the plain dump is tried again. */
const MAX_BUSY_ACTIVITIES = 50;
const BUSY_FOR_MS = 300_000;

/** Time for a dump of an activity where neither way worked last time, ms: most likely it does not work now. */
const HOPELESS_MS = 1_200;

/**
 * Dumps one phone's accessibility tree by its uiautomator command. Calls at the same time share a dump, as a phone can do one at a time. The
 * way of dumping that works is remembered for each activity, as finding it takes seconds.
 */
export class UiautomatorTrees implements TreeSource {
  readonly #phone: ReachedPhone;
  readonly #runs: SharedRuns<TreeDump>;
  readonly #usual = new UsualTime();
  /** The activities that never idle, each with whether the compressed dump works there. */
  readonly #busy: LRUCache<string, { works: boolean }>;
  /** Ends the plain dump that runs. */
  #cutPlain: Cancellation | undefined;

  constructor(phone: ReachedPhone) {
    this.#phone = phone;
    this.#runs = new SharedRuns((signal) => phone.metrics.tree(() => this.#read(signal)), 1);
    const perf = { now: () => phone.clock.monotonicMs() + 1 };
    this.#busy = new LRUCache({ max: MAX_BUSY_ACTIVITIES, ttl: BUSY_FOR_MS, ttlResolution: 0, perf });
  }

  next(call: Pick<Call, 'signal'>): Promise<TreeDump> {
    return this.#runs.next(call);
  }

  /** Replaces a running plain dump by a compressed one. */
  hurry(): void {
    this.#cutPlain?.abort(new BusyScreen());
  }

  get usualMs(): number | undefined {
    return this.#usual.ms;
  }

  get aheadMs(): number {
    const tookMs = Math.max(QUIET_MS, this.#usual.ms ?? 0);
    return tookMs - afterReadMs(tookMs);
  }

  async #read(signal: AbortSignal): Promise<TreeDump> {
    const beganMs = this.#phone.clock.monotonicMs();
    // Reading the app in front costs a command, so it is done only where some activity is known to be busy.
    const front = this.#busy.size > 0 ? activityKey(await readForeground({ signal }, this.#phone)) : undefined;
    const known = front === undefined ? undefined : this.#busy.get(front);
    const { tree, command } = await this.#dump(beganMs, known, signal);
    const endedMs = this.#phone.clock.monotonicMs();
    if (tree !== undefined) this.#usual.add(endedMs - beganMs);
    const busy = command === DUMP_COMPRESSED;
    if (busy && known?.works !== (tree !== undefined)) await this.#remember(tree !== undefined, signal);
    if (busy) return { tree, beganMs, endedMs, busy };
    const readMs = Math.max(beganMs, endedMs - afterReadMs(endedMs - beganMs));
    return { tree, beganMs, endedMs, busy, readMs };
  }

  async #remember(works: boolean, signal: AbortSignal): Promise<void> {
    const key = activityKey(await readForeground({ signal }, this.#phone));
    if (key !== undefined) this.#busy.set(key, { works });
  }

  async #dump(beganMs: number, known: { works: boolean } | undefined, signal: AbortSignal) {
    const { treeTimeoutMs } = this.#phone.limits;
    const untilMs = beganMs + (known?.works === false ? Math.min(HOPELESS_MS, treeTimeoutMs) : treeTimeoutMs);
    let command = known === undefined ? DUMP : DUMP_COMPRESSED;
    let tries = 0;
    for (;;) {
      const commandUntilMs = command === DUMP ? beganMs + treeTimeoutMs * PLAIN_SHARE : untilMs;
      const output = await this.#run(command, commandUntilMs, signal);
      const now = this.#phone.clock.monotonicMs();
      switch (output.kind) {
        case 'xml':
          return { tree: this.#parse(output.xml), command };
        case 'not_idle':
          if (command === DUMP_COMPRESSED || now >= untilMs) return { tree: undefined, command };
          command = DUMP_COMPRESSED;
          break;
        case 'again':
          if (++tries >= MAX_REPEATS || now - beganMs >= AGAIN_WITHIN_MS) return { tree: undefined, command: DUMP };
          break;
        case 'elsewhere':
          if (command === DUMP_BY_FILE) throw this.#unreadable('there is no tree in it');
          command = DUMP_BY_FILE;
          break;
        case 'broken':
          throw this.#unreadable(output.reason);
      }
    }
  }

  async #run(command: string, untilMs: number, signal: AbortSignal): Promise<DumpOutput> {
    const timeoutMs = Math.max(1, untilMs - this.#phone.clock.monotonicMs());
    // A signal cuts off the dump, and not the link's own time limit: a busy screen is no reason to retire the link.
    const { clock } = this.#phone;
    const limit = new Cancellation([signal], { clock, timeoutMs, onTimeout: () => new BusyScreen() });
    if (command === DUMP) this.#cutPlain = limit;
    try {
      const output = await this.#phone.link.exec(command, {
        timeoutMs: timeoutMs * 2,
        maxBytes: this.#phone.limits.maxTreeBytes,
        doing: 'list the elements on its screen',
        signal: limit.signal,
      });
      return readDumpOutput(output);
    } catch (error) {
      // An observation without elements is of more use than none. When the phone is gone, the observation fails anyway, by its picture.
      if (error instanceof BusyScreen || (error instanceof ApiError && error.kind === 'timeout'))
        return { kind: 'not_idle' };
      throw error;
    } finally {
      limit.end();
      if (this.#cutPlain === limit) this.#cutPlain = undefined;
    }
  }

  #parse(xml: string): UiTree {
    try {
      return parseDump(xml);
    } catch (error) {
      throw error instanceof BadDump ? this.#unreadable(error.message) : error;
    }
  }

  #unreadable(reason: string): ApiError {
    this.#phone.link.retire();
    return phoneUnavailable(`The phone sent a tree that cannot be read: ${reason}.`);
  }
}

/** Returns how long before the end of a plain dump of this duration its tree was read at most, ms. */
function afterReadMs(tookMs: number): number {
  return Math.max(QUIET_BEFORE_MS, tookMs * AFTER_SHARE);
}

function activityKey({ app, activity }: Foreground): string | undefined {
  return app === '' ? undefined : `${app}/${activity}`;
}

/** The error of a dump that was cut off, as the screen does not become idle. */
class BusyScreen extends Error {}
