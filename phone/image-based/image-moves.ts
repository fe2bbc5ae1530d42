import { PROJECT_FILE } from '../disk-limits/project-ids.js';
import { PhoneFailure } from '../driver.js';
import type { CopyOptions } from '../files/copy-tree.js';
import { FolderMoves } from '../moves/folder-moves.js';
import type { PhoneMoves } from '../moves/phone-moves.js';
import type { PhoneEngine, PhoneOfImage } from './engine.js';
import type { PhoneFolders } from './phone-folders.js';

/**
 * Moves phones that are made of images. The other host must have the very same image before any byte is sent: its engine pulls it by the
 * digest, or the operator has installed it.
 */
export function imageMoves(parts: {
  engine: Pick<PhoneEngine, 'obstacle' | 'fetchImage' | 'images'>;
  folders: Pick<PhoneFolders, 'describe'>;
  directory: string;
}): PhoneMoves {
  const { engine, folders, directory } = parts;
  return new FolderMoves({
    directory,
    without: [PROJECT_FILE],
    owners: true,
    needs: async (phoneId) => {
      const phone = await folders.describe(phoneId);
      if (phone === undefined) throw new PhoneFailure('The phone is not on its host any more.');
      const { made, digest, source } = phone;
      return JSON.stringify({ made, digest, source });
    },
    prepare: async (needs, options) => {
      const phone = parseNeeds(needs);
      const obstacle = await engine.obstacle(phone.made);
      if (obstacle !== undefined) throw new PhoneFailure(`the host cannot run the phone: ${obstacle}`);
      await requireImage(engine, phone, options);
    },
  });
}

/** Reads what another host wrote, which may run another version of the service. */
function parseNeeds(needs: string): PhoneOfImage {
  const { made, digest, source } = JSON.parse(needs) as Partial<Record<keyof PhoneOfImage, unknown>>;
  const isModel = typeof made === 'object' && made !== null && 'model' in made && 'driver' in made;
  if (!isModel || typeof digest !== 'string')
    throw new PhoneFailure('the other host does not name the image of the phone: start the same version on both hosts');
  return { made: made as PhoneOfImage['made'], digest, ...(typeof source === 'string' && { source }) };
}

async function requireImage(
  engine: Pick<PhoneEngine, 'fetchImage' | 'images'>,
  phone: PhoneOfImage,
  options: CopyOptions = {},
): Promise<void> {
  if (engine.images !== undefined) {
    await engine.images.ready(phone, options);
    return;
  }
  const { digest } = await engine.fetchImage(phone.made, options);
  if (digest === phone.digest) return;
  throw new PhoneFailure(
    `the host has another image for the model "${phone.made.model}" than the phone was made of. Install the same image there`,
  );
}
