import type { DescMessage, Message } from '@bufbuild/protobuf';
import type { Frame } from '../capture/captures.js';
import type { KeptPhone } from '../phones/kept-phone.js';
import { keptRequest } from './kept-request.js';
import type { SmallPictures } from './small-pictures.js';
import type { Recorded } from './timeline-recorder.js';

/** How long after input its effect is on the screen, in most apps, ms. */
const EFFECT_MS = 700;

/** A picture from before the input is at most this old, ms. */
const BEFORE_MS = 3_000;

/**
 * Records input and actions, which take no pictures of their own. The picture before is the latest that there is; the one after is taken
 * a moment after the response, once for all input of that moment.
 */
export class InputScreens {
  readonly #pictures: SmallPictures;
  readonly #afterwards = new WeakMap<KeptPhone, Promise<Frame | undefined>>();

  constructor(pictures: SmallPictures) {
    this.#pictures = pictures;
  }

  /** The screen as it is known to be now; undefined where no picture shows it. */
  now({ clock, captures, inputSentMs }: KeptPhone): Frame | undefined {
    const frame = captures.latest;
    const isRecent = frame !== undefined && clock.monotonicMs() - frame.endedMs <= BEFORE_MS;
    return isRecent && frame.beganMs > inputSentMs ? frame : undefined;
  }

  record(kept: KeptPhone, schema: DescMessage, request: Message, before: Frame | undefined): Recorded {
    const secrets = [...kept.secrets.keys()];
    const afterwards = this.#frameAfter(kept);
    const picture = async (frame: Frame | undefined): Promise<Buffer | undefined> =>
      frame && this.#pictures.before(frame.pixels, { content: undefined, secrets });
    return {
      secrets,
      heldBytes: (before?.pixels.data.length ?? 0) * 2,
      when: afterwards.then(() => undefined),
      describe: async () => {
        const first = await picture(before);
        const after = await picture(await afterwards);
        return {
          // No elements were read, so it is not known whether a text went into a password field.
          request: keptRequest(schema, request, { secrets, shown: new Set() }),
          ...(first !== undefined && { before: first }),
          ...(after !== undefined && { after }),
        };
      },
    };
  }

  #frameAfter(kept: KeptPhone): Promise<Frame | undefined> {
    const known = this.#afterwards.get(kept);
    if (known !== undefined) return known;
    const taking = this.#take(kept).finally(() => this.#afterwards.delete(kept));
    this.#afterwards.set(kept, taking);
    return taking;
  }

  /** Never throws: the phone may have stopped meanwhile. */
  async #take(kept: KeptPhone): Promise<Frame | undefined> {
    const { clock, captures, log } = kept;
    await new Promise<void>((resolve) => clock.after(EFFECT_MS, resolve));
    const latest = this.now(kept);
    if (latest !== undefined) return latest;
    try {
      return await captures.next({ signal: new AbortController().signal });
    } catch (error) {
      log.debug({ err: error }, 'there is no picture after an input for the timeline');
      return undefined;
    }
  }
}
