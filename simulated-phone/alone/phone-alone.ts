import { createId } from '../../kit/text/ids.js';
import type { Clock } from '../../kit/async/clock.js';
import type { PhoneSpec } from '../../phone/driver.js';
import type { PhoneFolder } from '../host/phone-folder.js';
import { simulatedModels } from '../system/models.js';

/**
 * Returns the one phone of a folder; makes it in a folder that has none. The phone's id is chosen when the phone is made, so that no two
 * phones share an id or a serial number. Throws an error of one line when the folder holds several phones, or one of another model.
 */
export async function phoneAlone(folder: PhoneFolder, model: string | undefined, clock: Clock): Promise<PhoneSpec> {
  const ids = await folder.list();
  if (ids.length > 1) throw new Error('The folder --data holds the phones of a service. Choose another.');
  const [phoneId] = ids;
  if (phoneId === undefined) {
    const phone = newPhone(model, clock);
    await folder.create(phone);
    return phone;
  }
  const phone = await folder.read(phoneId);
  if (model !== undefined && phone.model !== model) {
    throw new Error(`The phone in --data is a ${phone.model}. Leave --model out, or choose another folder.`);
  }
  return phone;
}

function newPhone(model: string | undefined, clock: Clock): PhoneSpec {
  const made = simulatedModels.find((one) => model === undefined || one.model === model);
  if (made === undefined) throw new Error(`There is no model ${model ?? ''}.`);
  return {
    phoneId: createId('ph', clock.now()),
    name: 'simulated',
    model: made.model,
    android: made.android[0] ?? '',
    exit: { type: 'direct', country: 'us', timezone: 'America/New_York' },
  };
}
