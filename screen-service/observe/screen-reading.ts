import type { Call } from '../../kit/call.js';
import { type Foreground, NO_FOREGROUND } from '../../phone/screen/windows.js';
import { isTreeOf, readForeground } from '../app/foreground.js';
import type { Frame } from '../capture/captures.js';
import type { KeptPhone } from '../phones/kept-phone.js';
import type { TreeDump } from '../tree/tree-source.js';
import type { ScreenState } from './observation.js';
import type { StillWatch } from './still-watch.js';

/** The parts of the screen that are read beside its pictures. */
export interface ReadParts {
  tree: boolean;
  front: boolean;
}

/**
 * Tree and app in front, read beside pictures of the screen that `watch` compares: what was read after the screen last changed, and
 * arrived before a picture that shows no change, is of one moment with that picture.
 */
export class ScreenReading {
  readonly #call: Call;
  readonly #kept: KeptPhone;
  readonly #watch: StillWatch;
  readonly #parts: ReadParts;
  #dump: TreeDump | undefined;
  /** The latest dump after which a picture showed the same as before it. */
  #confirmed: TreeDump | undefined;
  #front: { value: Foreground; beganMs: number } | undefined;

  constructor(call: Call, kept: KeptPhone, watch: StillWatch, parts: ReadParts) {
    this.#call = call;
    this.#kept = kept;
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

  /** Reads the parts side by side. The app in front is read after `first`: sooner, it could be of a screen that no picture shows. */
  async read(first?: Promise<Frame>): Promise<void> {
    const readFront = (): Promise<void> => this.readFront();
    await Promise.all([
      this.#parts.tree && this.readTree(),
      this.#parts.front && (first === undefined ? readFront() : first.then(readFront)),
    ]);
    await this.matchFront();
  }

  /** Reads the tree alone. `requested`: one that was requested before. */
  async readTree(requested?: Promise<TreeDump>): Promise<void> {
    this.#dump = await (requested ?? this.#kept.trees.next(this.#call));
  }

  /** Reads the app in front alone. */
  async readFront(): Promise<void> {
    const beganMs = this.#kept.clock.monotonicMs();
    const value = await readForeground(this.#call, this.#kept);
    // Of two that were under way, the later one may have arrived first.
    if (this.#front === undefined || this.#front.beganMs <= beganMs) this.#front = { value, beganMs };
  }

  /** Reads the app in front once more where it is needed, and not known of the screen as it is or of that of the tree. */
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
   * The screen as it was read; undefined before the first picture. `latest`: with the latest dump, also where it came after the last
   * picture. Else a confirmed one takes its place, which on a still screen is as good, and known to belong to the picture.
   */
  state({ latest }: { latest: boolean }): ScreenState | undefined {
    const { frame, changedMs } = this.#watch;
    if (frame === undefined) return undefined;
    const isCurrent = this.isCurrent;
    const confirmed = this.#confirmed;
    const useConfirmed = !isCurrent && !latest && confirmed !== undefined && readMsOf(confirmed) >= changedMs;
    const dump = useConfirmed ? confirmed : this.#dump;
    return {
      frame,
      dump,
      front: this.front ?? NO_FOREGROUND,
      consistent: (isCurrent || useConfirmed) && dump?.tree !== undefined,
    };
  }
}

function readMsOf({ readMs, beganMs }: TreeDump): number {
  return readMs ?? beganMs;
}
