import { begunAhead } from '../../kit/async/begun-ahead.js';
import { allBlack } from '../../phone/screen/pixels.js';
import type { SendInputRequest } from '../../proto/gen/cloudphone/screen/v1/screen_service_pb.js';
import { SendInputRequestSchema } from '../../proto/gen/cloudphone/screen/v1/screen_service_pb.js';
import { changedWithin } from '../capture/changed-area.js';
import type { Frame } from '../capture/captures.js';
import { looksLikeCaret } from '../observe/masks.js';
import { contentOf } from '../observe/observe.js';
import type { ObservedPhone } from '../observe/observed-phone.js';
import { elementLine } from '../tree/element-line.js';
import type { ScreenContent, ScreenElement } from '../tree/elements.js';
import type { TreeDump } from '../tree/tree-source.js';
import type { GestureBeginning, Reading } from './gesture-screens.js';
import { keptRequest } from './kept-request.js';
import { shownTexts } from './shown-texts.js';
import type { SmallPictures } from './small-pictures.js';
import type { Recorded } from './timeline-recorder.js';
import { touchedElements } from './touched-elements.js';

export interface Gesture {
  request: SendInputRequest;
  /** The picture before it. Undefined: there is none. */
  before: Frame | undefined;
  beginning: GestureBeginning;
  /** The screen after it, once it was still. */
  after: Promise<Reading | undefined>;
  /** When its last event was sent, monotonic ms. */
  lastMs: number;
}

/** Returns the entry of a gesture on a live screen, with words for the elements that it touched and for what it changed. */
export function recordGesture(pictures: SmallPictures, phoneSession: ObservedPhone, gesture: Gesture): Recorded {
  const { request, before, beginning, after, lastMs } = gesture;
  const known = phoneSession.secrets.all();
  return {
    secrets: known,
    heldBytes: (before?.pixels.data.length ?? 0) * 2,
    when: begunAhead(after.then(() => undefined)),
    describe: async () => {
      const reading = await after;
      // Another caller may have typed a secret until the screen was read, and the ones from before may have expired since.
      const texts = known.map(({ text }) => text);
      const secrets = phoneSession.secrets.allWith(texts);
      const maySecretsShow = secrets.length > 0;
      const seenBefore = contentAt(beginning.dump, beginning.readWith ?? beginning.latest, phoneSession, texts);
      const seenAfter = reading && contentAt(reading.dump, reading.frame, phoneSession, texts);
      const isThere = (element: ScreenElement): boolean => isUnchanged(element, beginning, phoneSession);
      const first = before && (await pictures.before(before.pixels, { content: undefined, maySecretsShow }));
      const content = reading?.consistent === true ? seenAfter : undefined;
      const last = reading && (await pictures.after(reading.frame.pixels, { content, maySecretsShow }));
      return {
        request: keptRequest(SendInputRequestSchema, request, {
          secrets,
          shown: shownTexts(request.events, { before: seenBefore, after: seenAfter }),
        }),
        ...(first !== undefined && { before: first }),
        ...(last !== undefined && { after: last }),
        touched: touchedElements(request.events, { before: seenBefore, after: seenAfter, isThere }),
        ...(reading !== undefined && {
          app: reading.front.app,
          settled: reading.still,
          effectMs: Math.max(0, Math.round(reading.endedMs - lastMs)),
        }),
        ...(seenAfter !== undefined && { changed: newLines(seenBefore, seenAfter) }),
      };
    },
  };
}

/** Returns the elements of a tree without secrets. Undefined for no tree, and for a secure window, whose picture is black. */
function contentAt(
  dump: TreeDump | undefined,
  frame: Frame | undefined,
  phoneSession: ObservedPhone,
  secrets: readonly string[],
): ScreenContent | undefined {
  const tree = dump?.tree;
  if (tree === undefined || (frame !== undefined && allBlack(frame.pixels))) return undefined;
  const { width, height } = phoneSession.phone.screen;
  const turned = tree.rotation % 2 === 1 ? { width: height, height: width } : { width, height };
  return contentOf(tree, frame?.pixels ?? turned, phoneSession, secrets);
}

/** Whether the place of an element shows the same as when its tree was read. True where there are no two pictures to compare. */
function isUnchanged(
  { bounds }: ScreenElement,
  { readWith, latest }: GestureBeginning,
  { phone }: ObservedPhone,
): boolean {
  if (readWith === undefined || latest === undefined) return true;
  const changed = changedWithin(readWith.pixels, latest.pixels, bounds);
  return changed === undefined || looksLikeCaret(changed, phone.screen.density);
}

/** A place for all, as an element that has moved is not new. */
const NOWHERE = { x: 0, y: 0, width: 0, height: 0 };

/** Returns the lines of the elements that were not there before, wherever, numbered by their place on the screen. */
function newLines(before: ScreenContent | undefined, { elements }: ScreenContent): string {
  const nameless = (element: ScreenElement): string => elementLine({ ...element, id: '', bounds: NOWHERE });
  const known = new Set((before?.elements ?? []).map(nameless));
  return elements
    .filter((element) => !known.has(nameless(element)))
    .map(elementLine)
    .join('\n');
}
