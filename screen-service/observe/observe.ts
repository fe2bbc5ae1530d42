import type { Call } from '../../kit/call/call.js';
import { createId } from '../../kit/text/ids.js';
import { foregroundOf, sameWindow } from '../display/foreground.js';
import { readSecureWindow } from '../display/secure-window.js';
import { allBlack, type Pixels } from '../../phone/screen/pixels.js';
import type { Foreground } from '../../phone/screen/windows.js';
import type { ObservedPhone } from './observed-phone.js';
import { hideSecretPixels, hideSecrets } from '../secrets/hide-secrets.js';
import type { Secret } from '../secrets/secret.js';
import { isOtherBrowser, mayShow, showsApps } from '../secrets/secret-scope.js';
import { elementsOf, type ScreenContent } from '../tree/elements.js';
import { keepIds } from '../tree/keep-ids.js';
import type { UiTree } from '../shapes/ui-node.js';
import type { Between } from '../tree/what-may-differ.js';
import { drawMarks } from './draw-marks.js';
import type { LastObservation } from './last-observations.js';
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
  phoneSession: ObservedPhone,
  lastObservation: LastObservation,
  picture: PictureRequest | undefined,
): Promise<Observation> {
  const state = await readScreen(call, phoneSession, ({ pixels }) => {
    // Encoding begins early here; an error is thrown again where the image is used.
    if (picture?.marks === false) phoneSession.images.of(pixels, picture.spec).catch(() => undefined);
  });
  return describe(call, phoneSession, state, lastObservation, { picture });
}

export interface DescribeOptions {
  /** The requested picture. Undefined: none. */
  picture: PictureRequest | undefined;
  /** Whether to leave out a picture that the caller has from its latest observation. Absent: false. */
  oncePerScreen?: boolean;
  /** Texts typed just now that must show neither in the picture nor in the elements. Absent: none. */
  secrets?: readonly string[];
  /** Whether there is no time for another command to the phone. Absent: false. */
  late?: boolean;
  /** Whether the caller gets the elements. Absent: true. */
  shown?: boolean;
}

/** Returns the elements of a tree, without the secrets that were typed into this phone before or by the request itself. */
export function contentOf(
  tree: UiTree,
  size: { width: number; height: number },
  phoneSession: ObservedPhone,
  typedNow: readonly string[] = [],
): ScreenContent {
  return hiddenContent(tree, size, phoneSession, phoneSession.secrets.allWith(typedNow));
}

/** Returns the elements of a tree without the secrets; the other texts are remembered as seen. */
function hiddenContent(
  tree: UiTree,
  size: { width: number; height: number },
  phoneSession: ObservedPhone,
  secrets: readonly Secret[],
): ScreenContent {
  const shown = hideSecrets(tree, secrets);
  phoneSession.secrets.seen.add(shown);
  return elementsOf(shown, size);
}

function hidesSecrets({ texts }: ScreenContent): boolean {
  return texts.some(({ hidesSecret }) => hidesSecret === true);
}

/** Returns what happened between the caller's latest observation and a reading of the screen at `nowMs`, wall clock. */
export function betweenSince(
  seen: Pick<RememberedObservation, 'observedAtMs' | 'front'>,
  { inputs }: ObservedPhone,
  lastObservation: LastObservation,
  { nowMs, front }: { nowMs: number; front: Foreground },
): Between {
  const { steps, counters } = lastObservation;
  const othersMs = inputs.othersMs(lastObservation);
  const [shown, shownNow] = [seen.front.isKeyboardShown, front.isKeyboardShown];
  const [timeS, timeNowS] = [seen.front.timeS, front.timeS];
  return {
    passedMs: Math.max(0, nowMs - seen.observedAtMs),
    acted: steps.hasActed(othersMs),
    own: steps.own(othersMs),
    keyboardMoved: shown === undefined || shownNow === undefined ? undefined : shown !== shownNow,
    timesS: timeS === undefined || timeNowS === undefined ? undefined : [timeS, timeNowS],
    counting: counters,
  };
}

/** For a caller that gets the elements. Any text may have counted on, as the caller sees the new text and nothing is pressed. */
const SEEN = { counting: 'all' } as const;
/**
 * For a caller that does not get the elements: its steps explain no change. With them, another page might be taken for the page that the
 * caller has seen.
 */
const UNSEEN = { own: undefined };

/** Makes an observation of a screen state, without the secrets that were typed into this phone. */
export async function describe(
  call: Call,
  phoneSession: ObservedPhone,
  { frame: { pixels, takenAt, endedMs }, dump, front: read, consistent, isLate = false, dumpAgeMs }: ScreenState,
  lastObservation: LastObservation,
  {
    picture: request,
    oncePerScreen = false,
    secrets: typedNow = [],
    late = false,
    shown: isForCaller = true,
  }: DescribeOptions,
): Promise<Observation> {
  const { width, height } = pixels;
  const latest = lastObservation.latest();
  const id = createId('obs', phoneSession.clock.now());
  const tree = dump?.tree;
  const front = foregroundOf(tree, read);
  const secrets = phoneSession.secrets.allWith(typedNow);
  const content = tree === undefined ? NOTHING_SEEN : hiddenContent(tree, { width, height }, phoneSession, secrets);
  const before = latest !== undefined && sameWindow(latest.front, front) ? latest : undefined;
  const seen = before && {
    content: before.content,
    between: {
      ...betweenSince(before, phoneSession, lastObservation, { nowMs: takenAt, front }),
      ...(isForCaller ? SEEN : UNSEEN),
    },
  };
  const { elements, nextId } = keepIds(content, seen, lastObservation.nextId);
  lastObservation.nextId = nextId;
  const isHere = secrets.some((secret) => mayShow(secret, front.app) || showsApps(front));
  // A tree shows where in the picture a secret is only if both are of the same moment.
  const isTreeClear = tree !== undefined && dumpAgeMs === undefined && !hidesSecrets(content);
  const isShown = isHere && !(isOtherBrowser(secrets, front.app) && isTreeClear);
  const withheld = request !== undefined && !consistent && (typedNow.length > 0 || isShown);
  const showPicture = async (wanted: PictureRequest): Promise<Pick<Observation, 'picture' | 'pictured'>> => {
    const known = oncePerScreen ? knownPicture(latest, wanted, pixels, phoneSession.phone.screen.density) : undefined;
    if (known !== undefined) return { picture: undefined, pictured: known };
    const withPasswords = isHere || typedNow.length > 0;
    const shown = hideSecretPixels(pixels, content, { withApps: secrets.length > 0, withPasswords });
    // Earlier elements may not be where the picture shows them.
    const marked =
      wanted.marks && dumpAgeMs === undefined ? drawMarks(shown, elements, phoneSession.phone.screen.density) : shown;
    return { picture: await phoneSession.images.of(marked, wanted.spec), pictured: { id, request: wanted } };
  };
  const warnings: Observation['warnings'] = [];
  const shown =
    request === undefined || withheld ? { picture: undefined, pictured: undefined } : await showPicture(request);
  if (tree === undefined) warnings.push('not_idle');
  if (front.isDisplayOff) {
    warnings.push('screen_off');
  } else if (allBlack(pixels)) {
    // Where the phone does not report secure windows, a window that has texts but a black picture is taken to be secure.
    const secure = late ? undefined : await readSecureWindow(call, phoneSession);
    if (secure ?? content.texts.length > 0) warnings.push('secure_window');
  }
  if (tree !== undefined && content.empty) warnings.push('loading');
  if (content.truncated) warnings.push('truncated');
  if (dumpAgeMs !== undefined) warnings.push('late_elements');
  else if (tree !== undefined && !consistent) warnings.push('inconsistent');
  if (withheld) warnings.push('picture_withheld');
  if (isLate) warnings.push('late_picture');
  return {
    id,
    observedAtMs: takenAt,
    front,
    screen: { width, height, rotation: content.rotation },
    ...shown,
    pictureAgeMs: isLate ? Math.round(phoneSession.clock.monotonicMs() - endedMs) : undefined,
    elementsAgeMs: dumpAgeMs,
    pixels: consistent ? pixels : undefined,
    content: { ...content, elements },
    // Earlier elements may have been read before the input.
    inputSentMs: dumpAgeMs === undefined ? phoneSession.inputs.lastMs : undefined,
    before: lastObservation.latestShown(),
    shown: isForCaller,
    warnings,
  };
}

/** Returns the earlier picture that already shows the caller this screen, if there is one of the same kind. */
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
