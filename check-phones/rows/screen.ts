import sharp from 'sharp';
import type { CheckedPhone, Element, Observation } from '../checked-phone.js';
import { demand } from '../demand.js';
import type { Row } from '../row.js';
import { MAIN } from './life.js';

export const shows: Row = {
  name: 'screenshot',
  run: async (phones) => {
    const phone = phones.get(MAIN);
    const image = await phone.screenshot();
    const { width, height } = await sharp(image).metadata();
    const { screen } = await phone.device();
    demand(
      width === screen.width && height === screen.height,
      `it has ${width}x${height}, the device ${screen.width}x${screen.height}`,
    );
    const { channels } = await sharp(image).stats();
    demand(
      channels.some(({ stdev }) => stdev > 1),
      'it is blank',
    );
    return `${width}x${height}, ${Math.round(image.length / 1024)} KiB`;
  },
};

/** Matches the package and the name of the settings app, which every Android has. */
const SETTINGS = /settings/i;

export const opensApp: Row = {
  name: 'observe, open an app, back',
  run: async (phones) => {
    const phone = phones.get(MAIN);
    const settings = (await phone.apps()).find(
      (app) => app.system && SETTINGS.test(app.package) && SETTINGS.test(app.name),
    );
    demand(settings !== undefined, 'GET …/apps lists no settings');
    await phone.act({ key: { name: 'home' } });
    const home = await phone.observe();
    const opened = await phone.act({ open_app: { app: settings.package } });
    demand(opened.app === settings.package, `${opened.app ?? 'nothing'} is in front`);
    demand((opened.elements ?? []).length > 0, 'no elements were listed');
    const back = await phone.act({ key: { name: 'back' } });
    demand(back.app === home.app, `after back ${back.app ?? 'nothing'} is in front, not ${home.app ?? 'nothing'}`);
    return `${settings.package}, ${(opened.elements ?? []).length} elements`;
  },
};

/** One word in each of four scripts, by the name of the script. */
const WORDS = { Latin: 'Zoë', Cyrillic: 'привет', Chinese: '牛乳', Devanagari: 'नमस्ते' } as const;

export const types: Row = {
  name: 'type in four scripts',
  run: async (phones) => {
    const phone = phones.get(MAIN);
    const field = await openField(phone);
    const text = Object.values(WORDS).join(' ');
    const typed = await phone.act({ type: { text, clear: true, ...field } });
    const shown = textsOf(typed);
    const missing = Object.entries(WORDS).flatMap(([script, word]) => (shown.includes(word) ? [] : [script]));
    demand(missing.length === 0, `not on the screen: ${missing.join(', ')}`);
    await phone.act({ key: { name: 'home' } });
    return '';
  },
};

/** Brings up a text field: the search of the settings, else the first field of any app of the launcher. */
async function openField(phone: CheckedPhone): Promise<{ element: string }> {
  const apps = (await phone.apps()).filter(({ system }) => system);
  for (const app of apps.toSorted((a, b) => rank(a.name) - rank(b.name)).slice(0, 8)) {
    const opened = await phone.act({ open_app: { app: app.package } }).catch(() => undefined);
    const field = fieldOf(opened);
    if (field !== undefined) return field;
    const opener = opened?.elements?.find(
      ({ text = '', label = '', role }) => role !== 'text' && OPENERS.test(`${text} ${label}`),
    );
    if (opener?.id === undefined) continue;
    const found = fieldOf(await phone.act({ tap: { element: opener.id } }).catch(() => undefined));
    if (found !== undefined) return found;
  }
  throw new Error('no app with a text field was found');
}

/** Buttons that lead to a text field. */
const OPENERS = /search|new note|new message|compose|create contact|add/i;

/** Returns the place of an app in the order of tries. Apps that are likely to have a text field near their first screen come first. */
function rank(name: string): number {
  const at = ['notes', 'messages', 'messaging', 'contacts', 'search', 'settings'].findIndex((one) =>
    name.toLowerCase().includes(one),
  );
  return at === -1 ? 99 : at;
}

function fieldOf(observation: Observation | undefined): { element: string } | undefined {
  const isField = ({ states = [] }: Element): boolean => states.includes('editable') && !states.includes('password');
  const id = observation?.elements?.find(isField)?.id;
  return id === undefined ? undefined : { element: id };
}

function textsOf({ elements = [] }: Observation): string {
  return elements.map(({ text = '', label = '' }) => `${text} ${label}`).join('\n');
}

export const rotates: Row = {
  name: 'rotate',
  run: async (phones) => {
    const phone = phones.get(MAIN);
    const upright = (await phone.device()).screen;
    const turned = await phone.act({ rotate: { to: 'landscape' } });
    const back = await phone.act({ rotate: { to: 'portrait' } });
    demand(
      turned.screen.width === upright.height,
      `turned, the screen is ${turned.screen.width}x${turned.screen.height}`,
    );
    demand(
      back.screen.width === upright.width,
      `turned back, the screen is ${back.screen.width}x${back.screen.height}`,
    );
    return '';
  },
};
