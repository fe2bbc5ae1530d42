import { begunAhead } from '../../kit/async/begun-ahead.js';
import type { Call } from '../../kit/call/call.js';
import { allBlack, isOneColour, type Pixels } from '../../phone/screen/pixels.js';
import type { Foreground } from '../../phone/screen/windows.js';
import { foregroundOf, readForeground, sameWindow } from '../display/foreground.js';
import type { LastObservation } from '../observe/last-observations.js';
import { changedBelowBar, looksLikeCaret } from '../observe/masks.js';
import type { ScreenState } from '../observe/observation.js';
import { contentOf } from '../observe/observe.js';
import type { ObservedPhone } from '../observe/observed-phone.js';
import type { ScreenContent } from '../tree/elements.js';
import { contains, type Rectangle } from '../shapes/rectangle.js';
import type { StepContext } from './step-context.js';

/** A screen whose elements are known, with the picture that belongs to them. */
export interface KnownScreen {
  pixels: Pixels;
  front: Foreground;
  content: ScreenContent;
  /** Wall clock, ms since the epoch. */
  takenAt: number;
}

/** A screen that was read longer ago than this is read again, whatever the picture shows, ms. */
const KNOWN_MS = 60_000;

/**
 * Compares a picture taken now with two screens whose elements are known: the caller's latest observation, and the screen after the
 * previous step. Returns which of them the phone still shows. Their elements are where they were, so no tree is read. A picture that is
 * black, as of a secure window, or of one colour never counts. It would stay the same when the elements change.
 */
export async function unchangedScreens(
  call: Call,
  phoneSession: ObservedPhone,
  { lastObservation, before, front: read, rested, typedSecrets }: StepContext,
): Promise<{ observed: boolean; rested: KnownScreen | undefined }> {
  const [observed, known] = [
    observedScreen(lastObservation),
    rested && restedScreen(phoneSession, rested, typedSecrets),
  ];
  if (observed === undefined && known === undefined) return { observed: false, rested: undefined };
  const reading = before !== undefined && read !== undefined ? read : begunAhead(readForeground(call, phoneSession));
  const [{ pixels }, front] = await Promise.all([before ?? phoneSession.captures.next(call), reading]);
  const holds = (screen: KnownScreen | undefined): boolean =>
    screen !== undefined &&
    phoneSession.clock.now() - screen.takenAt < KNOWN_MS &&
    sameWindow(screen.front, front) &&
    sameKeyboard(screen.front, front) &&
    showsTheSame(screen, pixels, phoneSession.phone.screen.density);
  return { observed: holds(observed), rested: holds(known) ? known : undefined };
}

/** Whether the keyboard shows in both or in neither, as far as that is known. A keyboard that slides in may not be in the picture yet. */
function sameKeyboard({ isKeyboardShown: before }: Foreground, { isKeyboardShown: now }: Foreground): boolean {
  return before === undefined || now === undefined || before === now;
}

/** Returns the screen as it is known to be now. Undefined: a tree must be read. */
export async function knownNow(
  call: Call,
  phoneSession: ObservedPhone,
  context: StepContext,
): Promise<KnownScreen | undefined> {
  const { observed, rested } = await unchangedScreens(call, phoneSession, context);
  return observed ? observedScreen(context.lastObservation) : rested;
}

/** Returns the screen of the caller's latest observation; undefined where no picture belongs to its elements. */
export function observedScreen(lastObservation: LastObservation): KnownScreen | undefined {
  const seen = lastObservation.latest();
  if (seen?.pixels === undefined) return undefined;
  return { pixels: seen.pixels, front: seen.front, content: seen.content, takenAt: seen.observedAtMs };
}

function restedScreen(
  phoneSession: ObservedPhone,
  { frame, dump, front, consistent }: ScreenState,
  typedSecrets: readonly string[],
): KnownScreen | undefined {
  const tree = dump?.tree;
  if (!consistent || tree === undefined) return undefined;
  const content = contentOf(tree, frame.pixels, phoneSession, typedSecrets);
  return { pixels: frame.pixels, front: foregroundOf(tree, front), content, takenAt: frame.takenAt };
}

function showsTheSame({ pixels: before, content }: KnownScreen, after: Pixels, density: number): boolean {
  if (content.truncated || allBlack(after) || isOneColour(after)) return false;
  const changed = changedBelowBar(before, after, density);
  if (changed === undefined) return true;
  // A thin bar is a caret only in a field that has the focus: elsewhere it may be a letter.
  return looksLikeCaret(changed, density) && focusedFields(content).some((field) => holdsWhole(field, changed));
}

function focusedFields({ landmarks }: ScreenContent): Rectangle[] {
  return landmarks.filter(({ isField, isFocused }) => isField && isFocused).map(({ bounds }) => bounds);
}

function holdsWhole(outer: Rectangle, { x, y, width, height }: Rectangle): boolean {
  return contains(outer, { x, y }) && contains(outer, { x: x + width - 1, y: y + height - 1 });
}
