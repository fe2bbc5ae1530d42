import { createId } from '../../kit/ids.js';
import { type Foreground, readForeground } from '../app/foreground.js';
import { readSecureWindow } from '../app/secure-window.js';
import type { Shot } from '../capture/captures.js';
import type { ImageSpec } from '../capture/encode.js';
import { allBlack } from '../capture/pixels.js';
import type { PhoneSession } from '../phones/phone-session.js';
import { elementsOf } from '../tree/elements.js';
import type { TreeReading } from '../tree/trees.js';
import { hideSecretPixels, hideSecrets } from './hide-secrets.js';
import { look } from './look.js';
import { NOTHING_SEEN, type Observation } from './observation.js';

/** What is on the screen: picture, tree and the app in front, asked for side by side. `image` undefined: no picture. */
export async function observe(session: PhoneSession, image: ImageSpec | undefined): Promise<Observation> {
  const asked = Promise.all([
    look(session, ({ pixels }) => {
      // Only a head start: whether it fails is seen when it is used.
      if (image !== undefined) session.images.of(pixels, image).catch(() => undefined);
    }),
    readForeground(session),
  ]);
  const [{ shot, reading, consistent }, front] = await asked;
  return describe(session, { shot, reading, consistent, front, image });
}

export interface Sight {
  shot: Shot;
  /** Undefined: there was no time for one. */
  reading: TreeReading | undefined;
  consistent: boolean;
  front: Foreground;
  image: ImageSpec | undefined;
  /** Texts that must show neither in the picture nor in the elements. Absent: none. */
  secrets?: readonly string[];
}

/** Makes an observation of what was seen. */
export async function describe(session: PhoneSession, sight: Sight): Promise<Observation> {
  const { shot, reading, consistent, front, image, secrets = [] } = sight;
  const { pixels } = shot;
  const { width, height } = pixels;
  const warnings: Observation['warnings'] = [];
  const tree = reading?.tree;
  const seen = tree === undefined ? NOTHING_SEEN : elementsOf(tree, { width, height });
  const content = hideSecrets(seen, secrets);
  const shown = image === undefined ? pixels : hideSecretPixels(pixels, seen, secrets);
  const picture = image === undefined ? undefined : await session.images.of(shown, image);
  if (tree === undefined) warnings.push('not_idle');
  // Where the phone does not tell flags, a black picture of a window that has texts gives it away.
  if (allBlack(pixels) && ((await readSecureWindow(session)) ?? content.texts.length > 0))
    warnings.push('secure_window');
  if (tree !== undefined && content.empty) warnings.push('loading');
  if (content.truncated) warnings.push('truncated');
  if (tree !== undefined && !consistent) warnings.push('inconsistent');
  return {
    id: createId('obs', session.clock.now()),
    observedAtMs: shot.takenAt,
    app: front.app,
    activity: front.activity,
    screen: { width, height, rotation: content.rotation },
    picture,
    pixels: consistent ? pixels : undefined,
    content,
    warnings,
  };
}
