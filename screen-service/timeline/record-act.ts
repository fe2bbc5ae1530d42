import type { ActOutcome } from '../act/act.js';
import type { Frame } from '../capture/captures.js';
import { sameWindow } from '../app/foreground.js';
import type { Observation, ScreenState } from '../observe/observation.js';
import type { KeptPhone } from '../phones/kept-phone.js';
import { type ActRequest, ActRequestSchema } from '../../proto/gen/cloudphone/screen/v1/screen_service_pb.js';
import { elementsOf, type ScreenContent } from '../tree/elements.js';
import { changedText, elementsText } from '../tree/elements-text.js';
import { keptRequest } from './kept-request.js';
import type { SmallPictures } from './small-pictures.js';
import type { Ended, Recorded } from './timeline-recorder.js';

/** What an act records: its own pictures and elements, so that nothing more is read from the phone. */
export function recordAct(
  pictures: SmallPictures,
  kept: KeptPhone,
  { request, typedNow }: { request: ActRequest; typedNow: readonly string[] },
  ended: Ended<ActOutcome>,
): Recorded {
  // Read now: later calls add theirs, and these expire.
  const secrets = [...typedNow, ...kept.secrets.keys()];
  const outcome = 'result' in ended ? ended.result : undefined;
  const { before, end, shownTexts = new Set<string>() } = outcome?.seen ?? {};
  const observation = outcome?.observation;
  const first: Frame | undefined = before ?? (outcome === undefined ? kept.captures.latest : undefined);
  const isSecure = observation?.warnings.includes('secure_window') === true;
  return {
    secrets,
    heldBytes: bytesOf(first) + (end?.frame.pixels === first?.pixels ? 0 : bytesOf(end?.frame)),
    describe: async () => {
      const content = end && contentOf(end, observation, secrets);
      // Of pixels that are the same, the picture is made with the elements that are known of the later one.
      const isSame = first !== undefined && first.pixels === end?.frame.pixels;
      const after = end && !isSecure ? await pictures.after(end.frame.pixels, { content, secrets }) : undefined;
      const picture =
        first === undefined || isSecure
          ? undefined
          : isSame
            ? after
            : await pictures.before(first.pixels, { content: undefined, secrets });
      const shown = new Set([...shownTexts, ...(isSecure ? [] : fieldTexts(observation))]);
      const visible = typedTexts(request).filter((text) => !isSecure && [...shown].some((one) => shows(one, text)));
      return {
        request: keptRequest(ActRequestSchema, request, { secrets, shown: new Set(visible) }),
        ...(picture !== undefined && { before: picture }),
        ...(after !== undefined && { after }),
        ...(outcome !== undefined && { settled: outcome.settled }),
        ...(outcome?.failed !== undefined && { outcome: outcome.failed.kind, message: outcome.failed.message }),
        app: observation?.front.app ?? end?.front.app ?? '',
        ...(observation !== undefined && !isSecure && { changed: changedBy(observation) }),
      };
    },
  };
}

function typedTexts({ step, steps }: ActRequest): string[] {
  const kinds = step.case === undefined ? steps.map(({ kind }) => kind) : [step];
  return kinds.flatMap((kind) => (kind.case === 'type' ? [kind.value.text] : []));
}

/** Shorter texts are in many fields by chance, characters. */
const SURE_LEAST = 4;

function shows(field: string, text: string): boolean {
  return field === text || (text.length >= SURE_LEAST && field.includes(text));
}

/** Texts that fields show after the steps; password fields show none. */
function fieldTexts(observation: Observation | undefined): string[] {
  return (observation?.content.elements ?? [])
    .filter(({ role, states }) => role === 'textfield' && !states.includes('password'))
    .map(({ text }) => text);
}

/** The elements of the picture's own moment. Those of the observation have no secrets any more, so that these cannot be found by them. */
function contentOf(
  { dump, frame, consistent }: ScreenState,
  observation: Observation | undefined,
  secrets: readonly string[],
): ScreenContent | undefined {
  if (!consistent) return undefined;
  if (secrets.length === 0) return observation?.content;
  return dump?.tree === undefined ? undefined : elementsOf(dump.tree, frame.pixels);
}

/** The differences from the caller's observation before, or all elements of another window. */
function changedBy({ before, front, content, warnings }: Observation): string | undefined {
  if (warnings.includes('not_idle')) return undefined;
  const isSame = before !== undefined && !before.warnings.includes('not_idle') && sameWindow(before.front, front);
  return isSame ? changedText(before.content.elements, content.elements) : elementsText(content.elements);
}

function bytesOf(frame: Frame | undefined): number {
  return frame?.pixels.data.length ?? 0;
}
