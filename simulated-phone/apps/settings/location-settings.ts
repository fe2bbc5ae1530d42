import type { Activity, AppContext } from '../app.js';
import { listRow, section } from '../list-rows.js';
import { settingsPage } from './settings-page.js';

/** Where the phone is, and its battery. */
export function locationSettings(context: AppContext): Activity {
  const { location, battery } = context.conditions;
  const row = (title: string, detail: string, detailId: string) => listRow({ title, detail, detailId });
  const metres = (value: number | undefined, absent: string): string => (value === undefined ? absent : `${value} m`);
  return {
    content: settingsPage(context, 'Location & battery', [
      section('Location'),
      row('Latitude', location?.latitude.toFixed(6) ?? 'Not known', 'latitude'),
      row('Longitude', location?.longitude.toFixed(6) ?? 'Not known', 'longitude'),
      row('Altitude', location === undefined ? 'Not known' : metres(location.altitude, '0 m'), 'altitude'),
      row('Accuracy', metres(location?.accuracy, 'Not known'), 'accuracy'),
      section('Battery'),
      row('Level', `${battery.level} %`, 'battery_level'),
      row('Charger', battery.charging ? 'Connected' : 'Not connected', 'battery_charging'),
    ]),
  };
}
