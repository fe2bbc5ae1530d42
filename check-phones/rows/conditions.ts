import type { CheckedPhone } from '../checked-phone.js';
import { demand } from '../demand.js';
import { NotOffered, type Row } from '../row.js';
import { MAIN } from './life.js';

/** Values that a phone does not have by itself. */
const LEVEL = 23;
const LOCATION = { latitude: 52.520008, longitude: 13.404954 };
const NETWORK = { latency_ms: 200, kbps: 2_000 };

/** Checks that a phone takes on the conditions that its model offers. Its own reports must show battery and place, also after a restart. */
export const conditions: Row = {
  name: 'conditions: place, battery, connection',
  run: async (phones) => {
    const { conditions: offered } = phones.model;
    if (offered.length === 0) throw new NotOffered('"conditions" of the model in GET /v1/models is empty');
    const phone = phones.get(MAIN);
    const all = { location: LOCATION, battery: { level: LEVEL, charging: false }, network: NETWORK };
    const wanted = Object.fromEntries(offered.map((word) => [word, all[word]]));
    try {
      await phone.conditions(wanted);
      await demandSeen(phone, offered, 'while it runs');
      await phone.restart();
      await demandSeen(phone, offered, 'after a restart');
    } finally {
      await phone.conditions(Object.fromEntries(offered.map((word) => [word, {}])));
    }
    if (offered.includes('battery'))
      demand((await levelOf(phone)) !== LEVEL, 'the battery stayed as it was set, although it was taken back');
    demand((await phone.device()).conditions === undefined, 'the device shows conditions that were taken back');
    return offered.join(', ');
  },
};

async function demandSeen(phone: CheckedPhone, offered: readonly string[], when: string): Promise<void> {
  if (offered.includes('battery')) {
    const level = await levelOf(phone);
    demand(level === LEVEL, `${when}, dumpsys battery shows the level ${level ?? 'of none'} and not ${LEVEL}`);
  }
  if (offered.includes('location')) {
    const printed = await phone.shell('dumpsys location');
    demand(placesIn(printed).some(isNear), `${when}, dumpsys location does not show the place`);
  }
}

function placesIn(printed: string): [latitude: number, longitude: number][] {
  return [...printed.matchAll(/(-?\d+\.\d+),(-?\d+\.\d+)/g)].map(([, latitude, longitude]) => [
    Number(latitude),
    Number(longitude),
  ]);
}

/** Returns whether a place is about the one that was set. Receivers round places, as they report minutes with a few decimals. */
function isNear([latitude, longitude]: [number, number]): boolean {
  return Math.abs(latitude - LOCATION.latitude) < 0.001 && Math.abs(longitude - LOCATION.longitude) < 0.001;
}

async function levelOf(phone: CheckedPhone): Promise<number | undefined> {
  const level = /^\s*level: (\d+)/m.exec(await phone.shell('dumpsys battery'))?.[1];
  return level === undefined ? undefined : Number(level);
}
