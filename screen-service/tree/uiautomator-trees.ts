import { LRUCache } from 'lru-cache';
import type { Call } from '../../kit/call.js';
import { ApiError } from '../../kit/errors.js';
import { Limited } from '../../kit/within.js';
import { phoneUnavailable } from '../../phone/link/phone-errors.js';
import type { Foreground } from '../../phone/screen/windows.js';
import { readForeground } from '../app/foreground.js';
import { SharedRuns } from '../capture/shared-runs.js';
import { UsualTime } from '../capture/usual-time.js';
import type { ReachedPhone } from '../phones/reached-phone.js';
import { type DumpOutput, readDumpOutput } from './dump-output.js';
import { parseDump } from './parse-dump.js';
import { BadDump } from './tokenize.js';
import type { TreeDump, TreeSource } from './tree-source.js';
import type { UiTree } from './ui-node.js';

/** How often, and for how long, a dump is repeated: a window that is being replaced has no root for a moment. */
const AGAIN_MOST = 5;
const AGAIN_WITHIN_MS = 2_000;

/** To the terminal and not to a file: a run that fails leaves an old file in place, which then looks like its output. */
const DUMP = 'uiautomator dump /dev/tty';

/** Leaves out views that accessibility finds unimportant; works on many screens that never idle, where the plain dump fails. */
const DUMP_COMPRESSED = 'uiautomator dump --compressed /dev/tty';

/** For phones whose commands have no terminal: a file of our own, removed before, so that it cannot be an old one. */
const DUMP_FILE = '/data/local/tmp/cloudphone-dump.xml';
const DUMP_BY_FILE = `rm -f ${DUMP_FILE}; uiautomator dump ${DUMP_FILE} >/dev/null 2>&1; cat ${DUMP_FILE}; rm -f ${DUMP_FILE}`;

/**
 * Share of the time limit that the plain dump may take. It gives up on a busy screen by itself only after 10 s, which is longer
 * than callers should wait, so it is cut off in time for a compressed one.
 */
const PLAIN_SHARE = 0.6;

/** The silence of accessibility for which a plain dump waits, ms. */
const QUIET_MS = 1_000;

/**
 * A plain dump reads the tree after accessibility was quiet for a second, and then only prints it: the tree is not older than this before
 * its arrival, ms, or than this share of the whole time, as on slow phones. Less than the second, as pictures show a change later than
 * the events do.
 */
const QUIET_BEFORE_MS = 700;
const AFTER_SHARE = 0.5;

/** Activities remembered as busy, and for how long, ms; then the plain dump is tried again. */
const BUSY_MOST = 50;
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
  /** Activities that never idle: whether the compressed dump works there. */
  readonly #busy: LRUCache<string, { works: boolean }>;
  /** Ends the plain dump that runs. */
  #cutPlain: Limited | undefined;

  constructor(phone: ReachedPhone) {
    this.#phone = phone;
    this.#runs = new SharedRuns((signal) => phone.metrics.tree(() => this.#read(signal)), 1);
    const perf = { now: () => phone.clock.monotonicMs() + 1 };
    this.#busy = new LRUCache({ max: BUSY_MOST, ttl: BUSY_FOR_MS, ttlResolution: 0, perf });
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
    // Costs a command, so it is read only where some activity is known to be busy.
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
          if (++tries >= AGAIN_MOST || now - beganMs >= AGAIN_WITHIN_MS) return { tree: undefined, command: DUMP };
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
    // Cut off by a signal and not by the link's own time limit: a busy screen is no reason to distrust the link.
    const limit = new Limited({
      clock: this.#phone.clock,
      timeoutMs,
      signals: [signal],
      onTimeout: () => new BusyScreen(),
    });
    if (command === DUMP) this.#cutPlain = limit;
    try {
      const output = await this.#phone.link.exec(command, {
        timeoutMs: timeoutMs * 2,
        maxBytes: this.#phone.limits.treeMaxBytes,
        doing: 'list the elements on its screen',
        signal: limit.signal,
      });
      return readDumpOutput(output);
    } catch (error) {
      // An observation without elements is of more use than none; a phone that is gone shows in the picture taken beside it.
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

/** How long before its end a plain dump of this duration has read the tree at the earliest, ms. */
function afterReadMs(tookMs: number): number {
  return Math.max(QUIET_BEFORE_MS, tookMs * AFTER_SHARE);
}

function activityKey({ app, activity }: Foreground): string | undefined {
  return app === '' ? undefined : `${app}/${activity}`;
}

/** A dump was cut off, as the screen does not become idle. */
class BusyScreen extends Error {}
