import type { Call } from '../../kit/call.js';
import { createId } from '../../kit/ids.js';
import { foregroundOf, sameWindow } from '../app/foreground.js';
import { readSecureWindow } from '../app/secure-window.js';
import { allBlack, type Pixels } from '../../phone/screen/pixels.js';
import type { KeptPhone } from '../phones/kept-phone.js';
import { elementsOf, type ScreenContent } from '../tree/elements.js';
import type { Between } from '../tree/find-again.js';
import { keepIds } from '../tree/keep-ids.js';
import type { UiTree } from '../tree/ui-node.js';
import { drawMarks } from './draw-marks.js';
import { hideSecretPixels, hideSecrets } from './hide-secrets.js';
import type { Sight } from './latest-observations.js';
import { sameScreen } from './masks.js';
import {
  NOTHING_SEEN,
  type Observation,
  type PictureRequest,
  type RememberedObservation,
  type ScreenState,
} from './observation.js';
import { readScreen } from './read-screen.js';

/** Observes the screen: picture, elements and app in front, read side by side. `picture` undefined: no picture. */
export async function observe(
  call: Call,
  kept: KeptPhone,
  sight: Sight,
  picture: PictureRequest | undefined,
): Promise<Observation> {
  const state = await readScreen(call, kept, ({ pixels }) => {
    // Only a head start: an error is thrown again where the image is used.
    if (picture?.marks === false) kept.images.of(pixels, picture.spec).catch(() => undefined);
  });
  return describe(call, kept, state, sight, { picture });
}

export interface DescribeOptions {
  /** Undefined: no picture. */
  picture: PictureRequest | undefined;
  /** Leave out a picture that the caller has from its latest observation. Absent: false. */
  oncePerScreen?: boolean;
  /** Texts typed just now that must show neither in the picture nor in the elements. Absent: none. */
  secrets?: readonly string[];
  /** There is no time for another command to the phone. Absent: false. */
  late?: boolean;
}

/** The elements of a tree, without the secrets that were typed into this phone. */
export function contentOf(tree: UiTree, size: { width: number; height: number }, kept: KeptPhone): ScreenContent {
  return hideSecrets(elementsOf(tree, size), [...kept.secrets.keys()]);
}

/** Windows that show something of other apps: the notification shade, and overviews of open apps. */
const SHOWS_OTHERS = /^com\.android\.systemui\/|recents|overview|quickstep/i;

/** What lies between an observation and a reading of the screen at `nowMs`, wall clock. */
export function betweenSince(seen: RememberedObservation | undefined, { typedMs }: KeptPhone, nowMs: number): Between {
  const seenMs = seen?.observedAtMs ?? nowMs;
  return { passedMs: Math.max(0, nowMs - seenMs), typed: typedMs >= seenMs };
}

/** Makes an observation of a screen state, without the secrets that were typed into this phone. */
export async function describe(
  call: Call,
  kept: KeptPhone,
  { frame: { pixels, takenAt, endedMs }, dump, front: read, consistent, isLate = false }: ScreenState,
  sight: Sight,
  { picture: request, oncePerScreen = false, secrets: typedNow = [], late = false }: DescribeOptions,
): Promise<Observation> {
  const { width, height } = pixels;
  const latest = sight.latest();
  const id = createId('obs', kept.clock.now());
  const tree = dump?.tree;
  const front = foregroundOf(tree, read);
  const secrets = [...typedNow, ...kept.secrets.keys()];
  const seen = tree === undefined ? NOTHING_SEEN : elementsOf(tree, { width, height });
  const content = hideSecrets(seen, secrets);
  const before = latest !== undefined && sameWindow(latest.front, front) ? latest : undefined;
  const between = betweenSince(before, kept, takenAt);
  const { elements, nextId } = keepIds(content, { content: before?.content, nextId: sight.nextId }, between);
  sight.nextId = nextId;
  const typedHere = [...kept.secrets.values()].some((app) => app === '' || front.app === '' || app === front.app);
  // Only a tree of the same moment shows where in the picture a secret is.
  const mayEcho = secrets.length > 0 && SHOWS_OTHERS.test(`${front.app}/${front.activity}`);
  const withheld = request !== undefined && !consistent && (typedNow.length > 0 || typedHere || mayEcho);
  const showPicture = async (wanted: PictureRequest): Promise<Pick<Observation, 'picture' | 'pictured'>> => {
    const known = oncePerScreen ? knownPicture(latest, wanted, pixels, kept.phone.screen.density) : undefined;
    if (known !== undefined) return { picture: undefined, pictured: known };
    const shown = hideSecretPixels(pixels, seen, secrets, { withPasswords: typedHere || typedNow.length > 0 });
    const marked = wanted.marks ? drawMarks(shown, elements, kept.phone.screen.density) : shown;
    return { picture: await kept.images.of(marked, wanted.spec), pictured: { id, request: wanted } };
  };
  const warnings: Observation['warnings'] = [];
  const shown =
    request === undefined || withheld ? { picture: undefined, pictured: undefined } : await showPicture(request);
  if (tree === undefined) warnings.push('not_idle');
  if (front.isDisplayOff) {
    warnings.push('screen_off');
  } else if (allBlack(pixels)) {
    // Where the phone does not report it: a window that has texts is secure when its picture is black.
    const secure = late ? undefined : await readSecureWindow(call, kept);
    if (secure ?? content.texts.length > 0) warnings.push('secure_window');
  }
  if (tree !== undefined && content.empty) warnings.push('loading');
  if (content.truncated) warnings.push('truncated');
  if (tree !== undefined && !consistent) warnings.push('inconsistent');
  if (withheld) warnings.push('picture_withheld');
  if (isLate) warnings.push('late_picture');
  return {
    id,
    observedAtMs: takenAt,
    front,
    screen: { width, height, rotation: content.rotation },
    ...shown,
    pictureAgeMs: isLate ? Math.round(kept.clock.monotonicMs() - endedMs) : undefined,
    pixels: consistent ? pixels : undefined,
    content: { ...content, elements },
    before: latest,
    shown: true,
    warnings,
  };
}

/** The earlier picture that shows the caller this screen already, if there is one of the same kind. */
function knownPicture(
  latest: RememberedObservation | undefined,
  wanted: PictureRequest,
  pixels: Pixels,
  density: number,
): Observation['pictured'] {
  const pictured = latest?.pictured;
  if (pictured === undefined || latest?.pixels === undefined) return undefined;
  const alike = JSON.stringify(pictured.request) === JSON.stringify(wanted);
  return alike && sameScreen(latest.pixels, pixels, density) ? pictured : undefined;
}
