import type { Clock } from '../../kit/clock.js';
import { ApiError } from '../../kit/errors.js';
import { phoneUnavailable } from '../../phone/link/deadline.js';
import type { KeptLink } from '../../phone/link/kept-link.js';
import type { ScreenLimits } from '../limits.js';
import type { ScreenMetrics } from '../metrics.js';
import { SharedRuns } from '../capture/shared-runs.js';
import { UsualTime } from '../capture/usual-time.js';
import { type DumpOutput, readDumpOutput } from './dump-output.js';
import { parseDump } from './parse-dump.js';
import { BadDump } from './tokenize.js';
import type { UiTree } from './ui-node.js';

/** One reading of the tree, or the answer that it could not be had in time. */
export interface TreeReading {
  /** Undefined: the screen was not idle, or had no window, for as long as we wait. */
  tree: UiTree | undefined;
  /** When the dump was asked for and when it had arrived, on the clock's monotonic scale. */
  beganMs: number;
  endedMs: number;
}

/** A window that is just being replaced has no root for a moment: asked again this often, for this long. */
const AGAIN_MOST = 5;
const AGAIN_WITHIN_MS = 2_000;

/** To the terminal and not to a file: a run that fails leaves an old file in place, which then looks like its answer. */
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

/** Reads one phone's accessibility tree. Readings are shared by all who ask at the same time; a phone can do one at once. */
export class Trees {
  readonly #link: KeptLink;
  readonly #clock: Clock;
  readonly #limits: ScreenLimits;
  readonly #runs: SharedRuns<TreeReading>;
  readonly #usual = new UsualTime();
  #hurry = false;

  constructor(options: { link: KeptLink; clock: Clock; metrics: ScreenMetrics; limits: ScreenLimits }) {
    this.#link = options.link;
    this.#clock = options.clock;
    this.#limits = options.limits;
    this.#runs = new SharedRuns(() => options.metrics.tree(() => this.#read()), 1);
  }

  /**
   * A reading that is not older than this call. Throws unavailable when what the phone sends makes no sense. `hurry`: the screen
   * is known to be busy, so the plain dump is not even tried.
   */
  next({ hurry = false } = {}): Promise<TreeReading> {
    this.#hurry ||= hurry;
    return this.#runs.next();
  }

  /** What a reading has taken lately, ms; undefined before the first. */
  get usualMs(): number | undefined {
    return this.#usual.ms;
  }

  async #read(): Promise<TreeReading> {
    const beganMs = this.#clock.monotonicMs();
    const untilMs = beganMs + this.#limits.treeTimeoutMs;
    const tree = await this.#dump(beganMs, untilMs);
    const endedMs = this.#clock.monotonicMs();
    if (tree !== undefined) this.#usual.add(endedMs - beganMs);
    return { tree, beganMs, endedMs };
  }

  async #dump(beganMs: number, untilMs: number): Promise<UiTree | undefined> {
    let command = this.#hurry ? DUMP_COMPRESSED : DUMP;
    this.#hurry = false;
    let tries = 0;
    for (;;) {
      const plainMs = beganMs + this.#limits.treeTimeoutMs * PLAIN_SHARE;
      const output = await this.#run(command, command === DUMP ? plainMs : untilMs);
      const now = this.#clock.monotonicMs();
      switch (output.kind) {
        case 'xml':
          return this.#parse(output.xml);
        case 'not_idle':
          if (command === DUMP_COMPRESSED || now >= untilMs) return undefined;
          command = DUMP_COMPRESSED;
          break;
        case 'again':
          if (++tries >= AGAIN_MOST || now - beganMs >= AGAIN_WITHIN_MS) return undefined;
          break;
        case 'elsewhere':
          if (command === DUMP_BY_FILE) throw this.#lied('there is no tree in it');
          command = DUMP_BY_FILE;
          break;
        case 'broken':
          throw this.#lied(output.reason);
      }
    }
  }

  async #run(command: string, untilMs: number): Promise<DumpOutput> {
    const leftMs = Math.max(1, untilMs - this.#clock.monotonicMs());
    // Cut off by a signal and not by the link's own time limit: a busy screen is no reason to distrust the link.
    const cut = new AbortController();
    const timer = this.#clock.after(leftMs, () => cut.abort(new Error('the dump took too long')));
    try {
      const output = await this.#link.exec(command, {
        timeoutMs: leftMs * 2,
        maxBytes: this.#limits.treeMaxBytes,
        doing: 'tell what is on its screen',
        signal: cut.signal,
      });
      return readDumpOutput(output);
    } catch (error) {
      // An answer without elements is of more use than none; a phone that is gone shows in the picture taken beside it.
      if (cut.signal.aborted || (error instanceof ApiError && error.kind === 'timeout')) return { kind: 'not_idle' };
      throw error;
    } finally {
      timer.cancel();
    }
  }

  #parse(xml: string): UiTree {
    try {
      return parseDump(xml);
    } catch (error) {
      throw error instanceof BadDump ? this.#lied(error.message) : error;
    }
  }

  #lied(reason: string): ApiError {
    this.#link.retire();
    return phoneUnavailable(`The phone sent a tree that cannot be read: ${reason}.`);
  }
}
