import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { keptIn, readKept } from '../../kit/kept-text.js';
import { SecretBox } from '../../kit/secret-box.js';

/** Where the key of the steps is kept in a data folder, in hex. Backups of the database do not hold it. */
export const STEPS_KEY_FILE = 'steps-key';

/** Seals the steps of groups and schedules, which hold texts to type into password fields. */
export interface StepsBox {
  /** Undefined: there is no key, so that no secret text can be kept. */
  seal: ((steps: string, place: string) => string) | undefined;
  /** Returns undefined for what was sealed with another key, or for another place. */
  open(sealed: string, place: string): string | undefined;
}

/**
 * Seals by `box` (SECRETS_KEY), else by a key that is made in the data folder where the database is there too. A database that other
 * hosts may use needs the former. Opens what was sealed by either.
 */
export function stepsBox(box: SecretBox | undefined, embeddedIn: string | undefined): StepsBox {
  const text =
    embeddedIn === undefined
      ? undefined
      : box === undefined
        ? keptIn(embeddedIn, STEPS_KEY_FILE, () => randomBytes(32).toString('hex'))
        : readKept(join(embeddedIn, STEPS_KEY_FILE));
  const boxes = [box, text && new SecretBox(Buffer.from(text, 'hex'))].filter((one) => one instanceof SecretBox);
  const [first] = boxes;
  return {
    seal: first && ((steps, place) => first.seal(steps, place)),
    open: (sealed, place) => {
      for (const one of boxes) {
        const opened = one.open(sealed, place);
        if (opened !== undefined) return opened;
      }
      return undefined;
    },
  };
}
