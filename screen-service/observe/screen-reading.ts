import type { Call } from '../../kit/call/call.js';
import { type Foreground, NO_FOREGROUND } from '../../phone/screen/windows.js';
import { isTreeOf, readForeground } from '../display/foreground.js';
import type { Frame } from '../capture/captures.js';
import type { ObservedPhone } from './observed-phone.js';
import type { TreeDump } from '../tree/tree-source.js';
import type { ScreenState } from './observation.js';
import type { StillWatch } from './still-watch.js';

/** The parts of the screen that are read beside its pictures. */
export interface ReadParts {
  tree: boolean;
  front: boolean;
}

/**
 * Reads the tree and the app in front, while `watch` compares pictures of the screen. A reading that began after the screen last changed,
 * and arrived before a picture that shows no change, is of one moment with that picture.
 */
export class ScreenReading {
  readonly #call: Call;
  readonly #phoneSession: ObservedPhone;
  readonly #watch: StillWatch;
  readonly #parts: ReadParts;
  #dump: TreeDump | undefined;
  /** The latest dump that belongs to a picture: the pictures before and after it show the same screen. */
  #confirmed: TreeDump | undefined;
  /** The picture before the latest dump was requested. Undefined: there is none. */
  #readAfter: Frame | undefined;
  #front: { value: Foreground; beganMs: number } | undefined;

  constructor(call: Call, phoneSession: ObservedPhone, watch: StillWatch, parts: ReadParts) {
    this.#call = call;
    this.#phoneSession = phoneSession;
    this.#watch = watch;
    this.#parts = parts;
  }

  /** The latest dump. */
  get dump(): TreeDump | undefined {
    return this.#dump;
  }

  /** The latest app in front. */
  get front(): Foreground | undefined {
    return this.#front?.value;
  }

  /**
   * Reads the parts side by side. The app in front is read after the picture `first`. An earlier reading could be of a screen that no
   * picture shows.
   */
  async read(first?: Promise<Frame>): Promise<void> {
    const readFront = (): Promise<void> => this.readFront();
    await Promise.all([
      this.#parts.tree && this.readTree(),
      this.#parts.front && (first === undefined ? readFront() : first.then(readFront)),
    ]);
    await this.matchFront();
  }

  /** Reads the tree alone. `requested`: a tree that was requested before. */
  async readTree(requested?: Promise<TreeDump>): Promise<void> {
    const before = requested === undefined ? this.#watch.frame : undefined;
    this.#dump = await (requested ?? this.#phoneSession.trees.next(this.#call));
    this.#readAfter = before;
  }

  /** Reads the app in front alone. */
  async readFront(): Promise<void> {
    const beganMs = this.#phoneSession.clock.monotonicMs();
    const value = await readForeground(this.#call, this.#phoneSession);
    // When two readings are under way, the one that began later may arrive first.
    if (this.#front === undefined || this.#front.beganMs <= beganMs) this.#front = { value, beganMs };
  }

  /** Reads the app in front again if its last reading is older than the present screen, or does not match the tree. */
  async matchFront(): Promise<void> {
    if (!this.#parts.front) return;
    const [tree, front] = [this.#dump?.tree, this.front];
    if (!this.isFrontRecent || (tree !== undefined && front !== undefined && !isTreeOf(tree, front)))
      await this.readFront();
  }

  /** Whether the app in front was read after the screen last changed. */
  get isFrontRecent(): boolean {
    return this.#front !== undefined && this.#front.beganMs >= this.#watch.changedMs;
  }

  /** Remembers the latest dump if it is of the screen as the latest picture shows it. */
  confirm(): void {
    if (this.isCurrent) this.#confirmed = this.#dump;
  }

  /** Whether the parts were read after the screen last changed, as far as pictures show. */
  get isRecent(): boolean {
    const { changedMs } = this.#watch;
    if (this.#parts.front && !this.isFrontRecent) return false;
    return !this.#parts.tree || (this.#dump !== undefined && readMsOf(this.#dump) >= changedMs);
  }

  /** Whether the parts that were read are of the screen as the latest picture shows it. */
  get isCurrent(): boolean {
    if (!this.isRecent) return false;
    const { frame } = this.#watch;
    return (
      !this.#parts.tree || (frame !== undefined && this.#dump !== undefined && this.#dump.endedMs <= frame.endedMs)
    );
  }

  /**
   * Returns the screen as it was read; undefined before the first picture. With `latest` it has the latest dump, even one that came after
   * the last picture. Without `latest`, a confirmed dump may take its place. On a still screen a confirmed dump is as good, and is known to
   * belong to the picture.
   */
  state({ latest }: { latest: boolean }): ScreenState | undefined {
    const { frame, changedMs } = this.#watch;
    if (frame === undefined) return undefined;
    const isCurrent = this.isCurrent;
    const confirmed = this.#confirmed;
    const useConfirmed = !isCurrent && !latest && confirmed !== undefined && readMsOf(confirmed) >= changedMs;
    const dump = useConfirmed ? confirmed : this.#dump;
    const consistent = (isCurrent || useConfirmed) && dump?.tree !== undefined;
    const readAfter = consistent || useConfirmed ? undefined : this.#readAfter;
    return {
      frame,
      dump,
      front: this.front ?? NO_FOREGROUND,
      consistent,
      stillSinceMs: changedMs,
      ...(readAfter !== undefined && { readAfter }),
    };
  }
}

function readMsOf({ readMs, beganMs }: TreeDump): number {
  return readMs ?? beganMs;
}
