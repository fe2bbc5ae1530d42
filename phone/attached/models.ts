import type { PhoneModel } from '../driver.js';
import type { PhoneFacts } from './phone-facts.js';
import type { ListedPhone } from './phones-file.js';

export interface Models {
  models: PhoneModel[];
  /** Slots of phones that are as their model promises. */
  fitting: ReadonlySet<string>;
  /** Slots of phones that are not. */
  misfits: string[];
}

/**
 * The models that devices can be created from: one for each word in PHONES_FILE, with the properties of its first phone. A device of a
 * model gets any of the model's phones. So these must have the same Android version and screen, and the model has the smallest memory of
 * them. A phone that was never reached is left out.
 */
export function modelsOf(listed: readonly ListedPhone[], factsOf: (slot: string) => PhoneFacts | undefined): Models {
  const models = new Map<string, PhoneModel>();
  const fitting = new Set<string>();
  const misfits: string[] = [];
  for (const { slot, model, name } of listed) {
    const facts = factsOf(slot);
    if (facts === undefined) continue;
    const { android, screen, memoryMb } = facts;
    const first = models.get(model);
    if (first === undefined) models.set(model, { model, name, android: [android], screen, memoryMb });
    else if (!isAlike(first, facts)) {
      misfits.push(slot);
      continue;
    } else first.memoryMb = Math.min(first.memoryMb, memoryMb);
    fitting.add(slot);
  }
  return { models: [...models.values()], fitting, misfits };
}

function isAlike({ android, screen }: PhoneModel, facts: PhoneFacts): boolean {
  const { width, height, density } = facts.screen;
  return (
    android[0] === facts.android && screen.width === width && screen.height === height && screen.density === density
  );
}
