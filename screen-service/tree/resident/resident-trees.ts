import type { Call } from '../../../kit/call.js';
import { SharedRuns } from '../../capture/shared-runs.js';
import { UsualTime } from '../../capture/usual-time.js';
import type { ReachedPhone } from '../../phones/reached-phone.js';
import { parseDump } from '../parse-dump.js';
import type { TreeDump, TreeSource } from '../tree-source.js';
import type { ResidentServer } from './resident-server.js';

/**
 * Time after an input in which a tree counts only when the next one is equal, ms: the server waits for no quiet, as a dump does, and the tree of
 * some apps follows the picture late.
 */
const AFTER_INPUT_MS = 1_500;
const AGAIN_AFTER_MS = 100;
const AGAIN_MOST = 2;

/** What the server sent, with times as of a TreeDump. */
interface Source {
  xml: string;
  beganMs: number;
  /** When an equal one was requested. Absent: none was. */
  readMs?: number;
  endedMs: number;
}

/**
 * Trees of the resident server, and of `dumps` while it does not run. One is read at a time: the server and a dump would take the
 * phone's only connection to accessibility from each other.
 */
export class ResidentTrees implements TreeSource {
  readonly #phone: ReachedPhone;
  readonly #server: ResidentServer;
  readonly #dumps: TreeSource;
  readonly #runs: SharedRuns<TreeDump>;
  readonly #usual = new UsualTime();
  /** The phone's dumps have no hints and no drawing order: then sources are read without, so that elements are the same either way. */
  #isPlain = false;

  constructor(phone: ReachedPhone, server: ResidentServer, dumps: TreeSource) {
    this.#phone = phone;
    this.#server = server;
    this.#dumps = dumps;
    this.#runs = new SharedRuns((signal) => this.#read(signal), 1);
  }

  next(call: Pick<Call, 'signal'>): Promise<TreeDump> {
    return this.#runs.next(call);
  }

  hurry(): void {
    this.#dumps.hurry();
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
        // A source that cannot be read is as much of a loss as none.
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
    for (let tries = 0; tries < AGAIN_MOST; tries++) {
      if (last.beganMs - this.#phone.inputSentMs >= AFTER_INPUT_MS) break;
      await clock.sleep(AGAIN_AFTER_MS, signal);
      const next = await this.#source(signal);
      if (next.xml === last.xml) {
        last = { ...last, readMs: next.beganMs, endedMs: next.endedMs };
        break;
      }
      last = next;
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
