import type { ActOutcome } from '../act/act.js';
import { allBlack } from '../../phone/screen/pixels.js';
import type { Frame } from '../capture/captures.js';
import { sameWindow } from '../display/foreground.js';
import type { Observation, ScreenState } from '../observe/observation.js';
import type { ObservedPhone } from '../observe/observed-phone.js';
import { type ActRequest, ActRequestSchema } from '../../proto/gen/cloudphone/screen/v1/screen_service_pb.js';
import { hideSecrets } from '../secrets/hide-secrets.js';
import type { Secret } from '../secrets/secret.js';
import { elementsOf, type ScreenContent } from '../tree/elements.js';
import { changedText, elementsText } from '../tree/elements-text.js';
import { keptRequest } from './kept-request.js';
import type { SmallPictures } from './small-pictures.js';
import type { Ended, Recorded } from './timeline-recorder.js';
import { textsShownByAct } from './texts-shown-by-act.js';

/** Returns the entry of an act. It has the act's own pictures and elements, so that nothing more is read from the phone. */
export function recordAct(
  pictures: SmallPictures,
  phoneSession: ObservedPhone,
  { request, typedNow }: { request: ActRequest; typedNow: readonly string[] },
  ended: Ended<ActOutcome>,
): Recorded {
  // The secrets are read now: later calls add other secrets, and the present ones expire.
  const secrets = phoneSession.secrets.allWith(typedNow);
  const maySecretsShow = secrets.length > 0;
  const outcome = 'result' in ended ? ended.result : undefined;
  const { before, end, shownTexts = [] } = outcome?.seen ?? {};
  const observation = outcome?.observation;
  const first: Frame | undefined = before ?? (outcome === undefined ? phoneSession.captures.latest : undefined);
  const last = end?.frame ?? first;
  // Without an observation it was not asked whether a black picture is of a secure window.
  const isSecure = observation?.warnings.includes('secure_window') ?? (last !== undefined && allBlack(last.pixels));
  return {
    secrets,
    heldBytes: bytesOf(first) + (end?.frame.pixels === first?.pixels ? 0 : bytesOf(end?.frame)),
    describe: async () => {
      const content = end && contentOf(end, observation, secrets);
      // Where both pictures have the same pixels, the elements of the later one are known, so that its picture serves as both.
      const isSame = first !== undefined && first.pixels === end?.frame.pixels;
      const after = end && !isSecure ? await pictures.after(end.frame.pixels, { content, maySecretsShow }) : undefined;
      const picture =
        first === undefined || isSecure
          ? undefined
          : isSame
            ? after
            : await pictures.before(first.pixels, { content: undefined, maySecretsShow });
      const visible = isSecure ? [] : textsShownByAct(request, shownTexts, observation);
      return {
        request: keptRequest(ActRequestSchema, request, { secrets, shown: new Set(visible) }),
        ...(picture !== undefined && { before: picture }),
        ...(after !== undefined && { after }),
        ...(outcome !== undefined && { settled: outcome.settled }),
        ...(outcome?.failed !== undefined && {
          outcome: outcome.failed.kind,
          message: outcome.failed.message,
          ...(outcome.stepsDone > 0 && { stepsDone: outcome.stepsDone }),
        }),
        app: observation?.front.app ?? end?.front.app ?? '',
        ...(observation !== undefined && !isSecure && { changed: changedBy(observation) }),
      };
    },
  };
}

/**
 * Returns the elements that the display had when the picture was taken, without the secrets of the call and of the phone. Undefined when
 * picture and elements may be of different moments.
 */
function contentOf(
  { dump, frame, consistent }: ScreenState,
  observation: Observation | undefined,
  secrets: readonly Secret[],
): ScreenContent | undefined {
  if (!consistent) return undefined;
  if (secrets.length === 0) return observation?.content;
  return dump?.tree === undefined ? undefined : elementsOf(hideSecrets(dump.tree, secrets), frame.pixels);
}

/**
 * Returns the differences from the caller's observation before the act. Returns all elements when the window is another, or when that
 * observation had no elements.
 */
function changedBy({ before, front, content, warnings }: Observation): string | undefined {
  if (warnings.includes('not_idle')) return undefined;
  const isSame = before !== undefined && !before.warnings.includes('not_idle') && sameWindow(before.front, front);
  return isSame ? changedText(before.content.elements, content.elements) : elementsText(content.elements);
}

function bytesOf(frame: Frame | undefined): number {
  return frame?.pixels.data.length ?? 0;
}
