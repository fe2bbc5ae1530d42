import type { Call } from '../../../kit/call/call.js';
import { SharedRuns } from '../../link/shared-runs.js';
import { UsualTime } from '../../link/usual-time.js';
import type { ReachedPhone } from '../../link/reached-phone.js';
import { parseDump } from '../parse-dump.js';
import type { RememberedTrees, TreeDump, TreeSource } from '../tree-source.js';
import type { ResidentServer } from './resident-server.js';

/**
 * The time after an input in which a tree is read again until two are equal, at most `MAX_REPEATS` times, ms. Unlike a dump, the server
 * does not wait until the screen rests, and the trees of some apps change later than the picture.
 */
const AFTER_INPUT_MS = 1_500;

/** The least times between two such readings, ms: from one beginning to the next, and from an end to the next beginning. */
const AGAIN_AFTER_MS = 120;
const PAUSE_MS = 40;
const MAX_REPEATS = 3;

/** A source that the server sent, with times as in TreeDump. */
interface Source {
  xml: string;
  beganMs: number;
  /** When a second source, equal to this one, was requested. Absent: there was no equal one. */
  readMs?: number;
  endedMs: number;
}

/**
 * Reads trees from the resident server, or from `dumps` while it does not run. One tree is read at a time: the server and a dump would take
 * the phone's only connection to accessibility from each other.
 */
export class ResidentTrees implements RememberedTrees {
  readonly #phone: ReachedPhone;
  readonly #server: ResidentServer;
  readonly #dumps: TreeSource;
  readonly #runs: SharedRuns<TreeDump>;
  readonly #usual = new UsualTime();
  /**
   * Whether the phone's dumps have no hints and no drawing order. Then sources are read without them, so that elements are the same either
   * way.
   */
  #isPlain = false;
  /** When a picture first showed the latest change of the screen, monotonic ms; -Infinity: none has. */
  #changedMs = -Infinity;
  #latest: TreeDump | undefined;

  constructor(phone: ReachedPhone, server: ResidentServer, dumps: TreeSource) {
    this.#phone = phone;
    this.#server = server;
    this.#dumps = dumps;
    this.#runs = new SharedRuns(async (signal) => {
      const dump = await this.#read(signal);
      if (dump.tree !== undefined) this.#latest = dump;
      return dump;
    }, 1);
  }

  next(call: Pick<Call, 'signal'>): Promise<TreeDump> {
    return this.#runs.next(call);
  }

  get latest(): TreeDump | undefined {
    return this.#latest;
  }

  hurry(): void {
    this.#dumps.hurry();
  }

  noteChange(): void {
    this.#changedMs = this.#phone.clock.monotonicMs();
  }

  get usualMs(): number | undefined {
    return this.#server.isRunning ? (this.#usual.ms ?? this.#dumps.usualMs) : this.#dumps.usualMs;
  }

  get aheadMs(): number {
    return this.#server.isRunning ? 0 : this.#dumps.aheadMs;
  }

  async #read(signal: AbortSignal): Promise<TreeDump> {
    if (await this.#server.connect(signal)) {
      try {
        return await this.#phone.metrics.tree(() => this.#sources(signal));
      } catch (error) {
        signal.throwIfAborted();
        // A source that cannot be parsed counts as a loss of the server, too.
        await this.#server.lose(error);
      }
    }
    signal.throwIfAborted();
    const dump = await this.#dumps.next({ signal });
    const [root] = dump.tree?.roots ?? [];
    if (root !== undefined) this.#isPlain = root.drawingOrder === undefined;
    return dump;
  }

  async #sources(signal: AbortSignal): Promise<TreeDump> {
    const { clock } = this.#phone;
    let last: Source = await this.#source(signal);
    for (let tries = 0; tries < MAX_REPEATS; tries++) {
      if (last.beganMs - this.#phone.inputs.lastMs >= AFTER_INPUT_MS) break;
      const dueMs = (last.readMs ?? last.beganMs) + AGAIN_AFTER_MS;
      await clock.sleep(Math.max(PAUSE_MS, dueMs - clock.monotonicMs()), signal);
      const next = await this.#source(signal);
      const isSame = next.xml === last.xml;
      last = isSame ? { ...last, readMs: next.beganMs, endedMs: next.endedMs } : next;
      // A tree that was requested before the change may be of the screen before the change.
      if (isSame && next.beganMs > this.#changedMs) break;
    }
    const { xml, beganMs, readMs, endedMs } = last;
    this.#usual.add(endedMs - beganMs);
    const tree = parseDump(xml, { plain: this.#isPlain });
    return { tree, beganMs, ...(readMs !== undefined && { readMs }), endedMs, busy: false };
  }

  async #source(signal: AbortSignal): Promise<Source> {
    const beganMs = this.#phone.clock.monotonicMs();
    const xml = await this.#server.source(signal);
    return { xml, beganMs, endedMs: this.#phone.clock.monotonicMs() };
  }
}
