import type { Call } from '../../kit/call.js';
import { createId } from '../../kit/ids.js';
import { foregroundOf } from '../app/foreground.js';
import { readSecureWindow } from '../app/secure-window.js';
import type { ImageSpec } from '../capture/encode.js';
import { allBlack } from '../../phone/screen/pixels.js';
import type { PhoneSession } from '../phones/phone-session.js';
import { elementsOf } from '../tree/elements.js';
import { hideSecretPixels, hideSecrets } from './hide-secrets.js';
import { NOTHING_SEEN, type Observation, type ScreenState } from './observation.js';
import { readScreen } from './read-screen.js';

/** Observes the screen: picture, elements and app in front, read side by side. `image` undefined: no picture. */
export async function observe(call: Call, session: PhoneSession, image: ImageSpec | undefined): Promise<Observation> {
  const state = await readScreen(call, session, ({ pixels }) => {
    // Only a head start: whether it fails is seen when it is used.
    if (image !== undefined) session.images.of(pixels, image).catch(() => undefined);
  });
  return describe(call, session, state, { image });
}

export interface DescribeOptions {
  /** Undefined: no picture. */
  image: ImageSpec | undefined;
  /** Texts typed just now that must show neither in the picture nor in the elements. Absent: none. */
  secrets?: readonly string[];
  /** There is no time for another command to the phone. */
  late?: boolean;
}

/** Makes an observation of a screen state, without the secrets that were typed into this phone. */
export async function describe(
  call: Call,
  session: PhoneSession,
  { frame: { pixels, takenAt }, dump, front: read, consistent }: ScreenState,
  { image, secrets: typedNow = [], late = false }: DescribeOptions,
): Promise<Observation> {
  const { width, height } = pixels;
  const tree = dump?.tree;
  const front = foregroundOf(tree, read);
  const secrets = [...typedNow, ...session.secrets.keys()];
  const seen = tree === undefined ? NOTHING_SEEN : elementsOf(tree, { width, height });
  const content = hideSecrets(seen, secrets);
  const typedHere = [...session.secrets.values()].some((app) => app === '' || front.app === '' || app === front.app);
  // Without a tree of the same moment it is not known where a secret shows.
  const withheld = image !== undefined && !consistent && (typedNow.length > 0 || typedHere);
  const shown = image === undefined ? pixels : hideSecretPixels(pixels, seen, secrets);
  const picture = image === undefined || withheld ? undefined : await session.images.of(shown, image);
  const warnings: Observation['warnings'] = [];
  if (tree === undefined) warnings.push('not_idle');
  if (allBlack(pixels)) {
    // Where the phone does not report it, a black picture of a window that has texts gives it away.
    const secure = late ? undefined : await readSecureWindow(call, session);
    if (secure ?? content.texts.length > 0) warnings.push('secure_window');
  }
  if (tree !== undefined && content.empty) warnings.push('loading');
  if (content.truncated) warnings.push('truncated');
  if (tree !== undefined && !consistent) warnings.push('inconsistent');
  if (withheld) warnings.push('picture_withheld');
  return {
    id: createId('obs', session.clock.now()),
    observedAtMs: takenAt,
    front,
    screen: { width, height, rotation: content.rotation },
    picture,
    pixels: consistent ? pixels : undefined,
    content,
    warnings,
  };
}
