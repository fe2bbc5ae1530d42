import { toggle } from '../../ui/compound-button.js';
import type { Activity, AppContext } from '../app.js';
import { listRow } from '../list-rows.js';
import { settingsPage } from './settings-page.js';

/** The phone's clock, in the zone of its exit. */
export function dateAndTime(context: AppContext): Activity {
  const { clock, timeZone, zoneTime, network, settings } = context;
  const nowMs = clock.now();
  const automatic = toggle('Set time zone automatically', {
    id: 'auto_time_zone',
    width: 'fill',
    padding: [14, 20],
    checked: settings.get('global', 'auto_time_zone') !== '0',
    onChange: (on) => settings.put('global', 'auto_time_zone', on ? '1' : '0'),
  });
  return {
    content: settingsPage(context, 'Date & time', [
      listRow({ title: 'Date', detail: zoneTime.date(nowMs, timeZone), detailId: 'date' }),
      listRow({ title: 'Time', detail: zoneTime.hours(nowMs, timeZone), detailId: 'time' }),
      automatic,
      listRow({ title: 'Time zone', detail: timeZone, detailId: 'time_zone' }),
      listRow({ title: 'Time zone of the exit', detail: network.exit.timezone, detailId: 'exit_time_zone' }),
    ]),
  };
}
