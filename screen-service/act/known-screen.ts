import type { Call } from '../../kit/call.js';
import { allBlack, isOneColour, type Pixels } from '../../phone/screen/pixels.js';
import type { Foreground } from '../../phone/screen/windows.js';
import { foregroundOf, readForeground, sameWindow } from '../app/foreground.js';
import type { Sight } from '../observe/latest-observations.js';
import { changedBelowBar, looksLikeCaret } from '../observe/masks.js';
import type { ScreenState } from '../observe/observation.js';
import { contentOf } from '../observe/observe.js';
import type { KeptPhone } from '../phones/kept-phone.js';
import type { ScreenContent } from '../tree/elements.js';
import { contains, type Rectangle } from '../tree/rectangle.js';
import type { StepContext } from './step-context.js';

/** A screen whose elements are known, with the picture that belongs to them. */
export interface KnownScreen {
  pixels: Pixels;
  front: Foreground;
  content: ScreenContent;
  /** Wall clock, ms since the epoch. */
  takenAt: number;
}

/** An older one is read again, whatever the picture shows, ms. */
const KNOWN_MS = 60_000;

/**
 * Whether a picture taken now shows that the caller's latest observation, or the screen after the step before, is still the screen: then
 * its elements are where they were, and no tree is read. Returns the screens for which that holds. False for black pictures, as of secure
 * windows, and for those of one colour: they show no change, whatever the elements do.
 */
export async function unchangedScreens(
  call: Call,
  kept: KeptPhone,
  { sight, before, front: read, rested }: StepContext,
): Promise<{ observed: boolean; rested: KnownScreen | undefined }> {
  const [observed, known] = [observedScreen(sight), rested && restedScreen(kept, rested)];
  if (observed === undefined && known === undefined) return { observed: false, rested: undefined };
  const reading = before !== undefined && read !== undefined ? read : readForeground(call, kept);
  const [{ pixels }, front] = await Promise.all([before ?? kept.captures.next(call), reading]);
  const holds = (screen: KnownScreen | undefined): boolean =>
    screen !== undefined &&
    kept.clock.now() - screen.takenAt < KNOWN_MS &&
    sameWindow(screen.front, front) &&
    showsTheSame(screen, pixels, kept.phone.screen.density);
  return { observed: holds(observed), rested: holds(known) ? known : undefined };
}

/** The screen as it is known to be now; undefined: a tree must be read. */
export async function knownNow(call: Call, kept: KeptPhone, context: StepContext): Promise<KnownScreen | undefined> {
  const { observed, rested } = await unchangedScreens(call, kept, context);
  return observed ? observedScreen(context.sight) : rested;
}

/** The caller's latest observation; undefined where no picture belongs to its elements. */
export function observedScreen(sight: Sight): KnownScreen | undefined {
  const seen = sight.latest();
  if (seen?.pixels === undefined) return undefined;
  return { pixels: seen.pixels, front: seen.front, content: seen.content, takenAt: seen.observedAtMs };
}

function restedScreen(kept: KeptPhone, { frame, dump, front, consistent }: ScreenState): KnownScreen | undefined {
  const tree = dump?.tree;
  if (!consistent || tree === undefined) return undefined;
  const content = contentOf(tree, frame.pixels, kept);
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
