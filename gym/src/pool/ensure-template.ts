import { CloudPhoneError } from '../../../client/src/errors.js';
import { platformWait, type Wait } from '../../../client/src/platform.js';
import type { Service } from '../service.js';

/** How often, and at which distance, a template that another run makes is looked at. */
const MAX_SAVING_LOOKS = 300;
const SAVING_LOOK_MS = 2_000;

/** Most times that a template is made: other runs may make it at the same time, and fail. */
const MAX_TRIES = 3;

type Asked = Pick<Service['phone'], 'get' | 'delete'>;

/**
 * Makes a template by `make`, unless the account has it. Several first runs may do so at the same time: the name goes to one of them, and the
 * others wait for that template.
 */
export async function ensureTemplate(
  phone: Asked,
  name: string,
  { make, note, wait = platformWait }: { make: () => Promise<void>; note: (text: string) => void; wait?: Wait },
): Promise<void> {
  for (let tries = 1; ; tries++) {
    if (await isReady(phone, name, { note, wait })) return;
    note(`making the template ${name}`);
    try {
      await make();
      return;
    } catch (error) {
      const state = await stateOf(phone, name);
      const isMadeByOthers = state === 'saving' || state === 'ready';
      if (!isMadeByOthers || tries === MAX_TRIES) throw error;
    }
  }
}

/** Returns whether the account has the template, after a wait where it is being saved. One that failed is deleted, as it has the name. */
async function isReady(
  phone: Asked,
  name: string,
  { note, wait }: { note: (text: string) => void; wait: Wait },
): Promise<boolean> {
  for (let looks = 0; looks < MAX_SAVING_LOOKS; looks++) {
    const state = await stateOf(phone, name);
    if (state === 'ready') return true;
    if (state === undefined) return false;
    if (state === 'failed') {
      note(`deleting the template ${name}, which could not be saved`);
      await unlessAbsent(() => phone.delete('/v1/templates/{name}', { params: { path: { name } } }));
      return false;
    }
    if (looks === 0) note(`waiting for the template ${name}, which another run makes`);
    await wait(SAVING_LOOK_MS);
  }
  throw new Error(
    `The template ${name} is still being saved. See "cloudphone template get ${name}", and run the gym again once it is ready or failed.`,
  );
}

async function stateOf(phone: Asked, name: string): Promise<string | undefined> {
  const found = await unlessAbsent(() => phone.get('/v1/templates/{name}', { params: { path: { name } } }));
  return found?.template.state;
}

async function unlessAbsent<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof CloudPhoneError && error.kind === 'not_found') return undefined;
    throw error;
  }
}
