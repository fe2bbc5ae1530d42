import { begunAhead } from '../../kit/async/begun-ahead.js';
import type { DescMessage, Message } from '@bufbuild/protobuf';
import type { Frame } from '../capture/captures.js';
import type { ObservedPhone } from '../observe/observed-phone.js';
import { keptRequest } from './kept-request.js';
import type { SmallPictures } from './small-pictures.js';
import type { Recorded } from './timeline-recorder.js';

/** The time after which input has its effect on the screen in most apps, ms. */
const EFFECT_MS = 700;

/** A picture from before the input is at most this old, ms. */
const BEFORE_MS = 3_000;

/**
 * Records input and actions, which take no pictures of their own. The picture before an input is the latest one, unless it is too old. The
 * picture after it is taken a moment after the response. All input of that moment shares it.
 */
export class InputScreens {
  readonly #pictures: SmallPictures;
  readonly #afterwards = new WeakMap<ObservedPhone, Promise<Frame | undefined>>();

  constructor(pictures: SmallPictures) {
    this.#pictures = pictures;
  }

  /** Returns the screen as it is known to be now; undefined where no picture shows it. */
  now({ clock, captures, inputs }: ObservedPhone): Frame | undefined {
    const frame = captures.latest;
    const isRecent = frame !== undefined && clock.monotonicMs() - frame.endedMs <= BEFORE_MS;
    return isRecent && frame.beganMs > inputs.lastMs ? frame : undefined;
  }

  record(phoneSession: ObservedPhone, schema: DescMessage, request: Message, before: Frame | undefined): Recorded {
    const secrets = phoneSession.secrets.all();
    const afterwards = begunAhead(this.#frameAfter(phoneSession));
    return {
      secrets,
      heldBytes: (before?.pixels.data.length ?? 0) * 2,
      when: begunAhead(afterwards.then(() => undefined)),
      describe: async () => {
        const frame = await afterwards;
        // Another caller may have typed a secret until the picture was taken.
        const maySecretsShow = phoneSession.secrets.allWith(secrets.map(({ text }) => text)).length > 0;
        const picture = async (shown: Frame | undefined): Promise<Buffer | undefined> =>
          shown && this.#pictures.before(shown.pixels, { content: undefined, maySecretsShow });
        const first = await picture(before);
        const after = await picture(frame);
        return {
          // No elements were read, so it is not known whether a text went into a password field.
          request: keptRequest(schema, request, { secrets, shown: new Set() }),
          ...(first !== undefined && { before: first }),
          ...(after !== undefined && { after }),
        };
      },
    };
  }

  #frameAfter(phoneSession: ObservedPhone): Promise<Frame | undefined> {
    const known = this.#afterwards.get(phoneSession);
    if (known !== undefined) return known;
    const taking = begunAhead(this.#take(phoneSession).finally(() => this.#afterwards.delete(phoneSession)));
    this.#afterwards.set(phoneSession, taking);
    return taking;
  }

  /** Takes a picture. It never throws, as the phone may have stopped meanwhile. */
  async #take(phoneSession: ObservedPhone): Promise<Frame | undefined> {
    const { clock, captures, log } = phoneSession;
    await new Promise<void>((resolve) => clock.after(EFFECT_MS, resolve));
    const latest = this.now(phoneSession);
    if (latest !== undefined) return latest;
    try {
      return await captures.next({ signal: new AbortController().signal });
    } catch (error) {
      log.debug({ err: error }, 'there is no picture after an input for the timeline');
      return undefined;
    }
  }
}
