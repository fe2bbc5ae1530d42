import type { Clock } from '../../kit/async/clock.js';
import { type OperationOptions, PhoneFailure } from '../driver.js';
import { type ConnectSocket, PhoneLink } from '../link/phone-link.js';
import type { PhoneFacts, PhoneUpgrades } from '../upgrades/phone-upgrades.js';
import { readFacts } from '../upgrades/read-facts.js';
import type { PhoneEngine } from './engine.js';
import type { ImagesInUse } from './images-in-use.js';
import type { KeptPhones } from './kept-phones.js';
import type { ImageBasedModel } from './model.js';
import type { OfferedModels } from './offered-models.js';
import { DamagedPhone, type ImageBasedPhone, type PhoneFolders } from './phone-folders.js';
import { cannotRun, type PhonePower } from './phone-power.js';

export interface ImageUpgradesParts {
  engine: PhoneEngine;
  folders: PhoneFolders;
  kept: KeptPhones;
  models: OfferedModels;
  images: ImagesInUse;
  power: PhonePower;
  /** Runs an operation on a phone; on each phone only one at a time. */
  locked: <T>(phoneId: string, operation: () => Promise<T>) => Promise<T>;
  connectSocket: ConnectSocket;
  clock: Clock;
}

/** A phone may take this long for a connection, ms. */
const LINK_MS = 5_000;
/** Most images that a phone remembers to have had. */
const MAX_EARLIER_IMAGES = 20;

/**
 * Upgrades of phones whose data is in folders of this host. The old image is not given up while there is a copy (images-in-use.ts), so that
 * the phone can go back to it.
 */
export class ImageUpgrades implements PhoneUpgrades {
  readonly #parts: ImageUpgradesParts;

  constructor(parts: ImageUpgradesParts) {
    this.#parts = parts;
  }

  /** The phone is not locked, as a pull may take an hour in which it stays in use. */
  async fetch(phoneId: string, options: OperationOptions = {}): Promise<boolean> {
    const phone = await this.#existing(phoneId);
    const model = await this.#modelOf(phone);
    const { digest } = await this.#parts.engine.fetchImage(model, options);
    const isOther = digest !== phone.digest;
    if (isOther && isReplaced(phone.made, model)) {
      throw new PhoneFailure(
        'The system image of the phone was replaced in its own folder, so there is no way back to the old one. ' +
          'Install the newer one as another package of the SDK, and name that in the model.',
      );
    }
    return isOther;
  }

  async survey(phoneId: string, { signal }: OperationOptions = {}): Promise<PhoneFacts> {
    const { clock, connectSocket, power } = this.#parts;
    const status = await power.status(await this.#existing(phoneId), signal);
    if (status.state !== 'running') throw new Error('the phone does not run, so nothing can be read from it');
    const link = await PhoneLink.open({ ...status.endpoint, clock, connectSocket, timeoutMs: LINK_MS });
    try {
      return await readFacts(link, signal);
    } finally {
      link.close();
    }
  }

  keep(phoneId: string, jobId: string, options: OperationOptions = {}): Promise<void> {
    const { kept, locked } = this.#parts;
    return locked(phoneId, async () => kept.keep(await this.#off(phoneId), jobId, options));
  }

  change(phoneId: string, options: OperationOptions = {}): Promise<string> {
    const { engine, folders, kept, images, locked } = this.#parts;
    return locked(phoneId, async () => {
      const phone = await this.#off(phoneId);
      if ((await kept.find(phoneId)) === undefined) throw new PhoneFailure('The copy of the phone is gone.');
      const model = await this.#modelOf(phone);
      const image = await engine.fetchImage(model, options);
      const changed = withImage(phone, model, image);
      await images.whileMaking(changed, () => folders.replace(changed));
      return changed.android;
    });
  }

  back(phoneId: string): Promise<void> {
    const { engine, folders, kept, images, locked } = this.#parts;
    return locked(phoneId, async () => {
      // The data may be missing after a crash in the middle. Where the description is damaged, the copy has a good one.
      const phone = await folders.describe(phoneId).catch(async (error: unknown) => {
        if (error instanceof DamagedPhone) return kept.find(phoneId);
        throw error;
      });
      if (phone === undefined) throw lost();
      if ((await engine.power(phone)).on) throw new Error('the phone is on, so its data cannot be put back');
      await kept.putBack(phoneId);
      await images.compare();
    });
  }

  drop(phoneId: string): Promise<void> {
    const { kept, images, locked } = this.#parts;
    return locked(phoneId, async () => {
      await kept.drop(phoneId);
      await images.compare();
    });
  }

  async #modelOf({ model }: ImageBasedPhone): Promise<ImageBasedModel> {
    const { engine, models } = this.#parts;
    const made = models.find(model);
    if (made === undefined) throw new PhoneFailure(`The models file of the host has no model "${model}" any more.`);
    const obstacle = await engine.obstacle(made);
    if (obstacle !== undefined) throw cannotRun(obstacle);
    return made;
  }

  async #existing(phoneId: string): Promise<ImageBasedPhone> {
    const phone = await this.#parts.folders.read(phoneId);
    if (phone === undefined) throw lost();
    return phone;
  }

  async #off(phoneId: string): Promise<ImageBasedPhone> {
    const phone = await this.#existing(phoneId);
    if ((await this.#parts.engine.power(phone)).on) throw new Error('the phone is on');
    return phone;
  }
}

/** Whether the image that the phone boots from is the newer one already. An emulator has images by their folders, and not by digests. */
function isReplaced(before: ImageBasedModel, now: ImageBasedModel): boolean {
  return before.driver === 'emulator' && now.driver === 'emulator' && before.systemImage === now.systemImage;
}

/**
 * Returns the phone with another image, and with its model as it is now. The screen and the size of the disk stay, as the data was made
 * with them. A phone that has the image already is returned as it is.
 */
function withImage(
  phone: ImageBasedPhone,
  model: ImageBasedModel,
  { digest, source }: { digest: string; source?: string },
): ImageBasedPhone {
  const stays = { ...phone };
  delete stays.booted;
  delete stays.source;
  const { screen, diskMb } = phone.made;
  const isOther = digest !== phone.digest;
  return {
    ...stays,
    digest,
    ...(source !== undefined && { source }),
    android: model.android[0] ?? phone.android,
    made: { ...model, screen, diskMb },
    ...(isOther && { earlier: [...(phone.earlier ?? []), phone.digest].slice(-MAX_EARLIER_IMAGES) }),
  };
}

function lost(): PhoneFailure {
  return new PhoneFailure("The phone's files are not on its host any more.");
}
