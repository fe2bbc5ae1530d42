import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { keptIn, readKept } from '../../../kit/files/kept-text.js';
import { SecretBox } from '../../../kit/text/secret-box.js';

/** The file with the key of the steps in a data folder, in hex. The database does not contain it; a backup of the data folder does. */
export const STEPS_KEY_FILE = 'steps-key';

/** Encrypts the steps of groups and schedules, which contain texts to type into password fields. */
export interface StepsBox {
  /** Undefined: there is no key, so no secret text can be stored. */
  seal: ((steps: string, place: string) => string) | undefined;
  /** Returns undefined for steps that were encrypted with another key, or for another place. */
  open(sealed: string, place: string): string | undefined;
  /** Returns steps that another key than that of `seal` encrypted, encrypted with that one. Undefined: there is nothing to do. */
  sealAgain(sealed: string, place: string): string | undefined;
}

/**
 * Returns a box that encrypts with `box` (SECRETS_KEY). Without one, it uses a key that is generated in the data folder, if the database
 * is in that folder too. A database that other hosts may use needs SECRETS_KEY. Steps that were encrypted with either key can be
 * decrypted.
 */
export function stepsBox(box: SecretBox | undefined, embeddedIn: string | undefined): StepsBox {
  const text =
    embeddedIn === undefined
      ? undefined
      : box === undefined
        ? keptIn(embeddedIn, STEPS_KEY_FILE, () => randomBytes(32).toString('hex'))
        : readKept(join(embeddedIn, STEPS_KEY_FILE));
  const boxes = [box, text && new SecretBox(Buffer.from(text, 'hex'))].filter((one) => one instanceof SecretBox);
  const [first, second] = boxes;
  return {
    seal: first && ((steps, place) => first.seal(steps, place)),
    open: (sealed, place) => first?.open(sealed, place) ?? second?.open(sealed, place),
    sealAgain: (sealed, place) => {
      const ofSecond = first?.open(sealed, place) === undefined ? second?.open(sealed, place) : undefined;
      return ofSecond === undefined ? first?.sealAgain(sealed, place) : first?.seal(ofSecond, place);
    },
  };
}
