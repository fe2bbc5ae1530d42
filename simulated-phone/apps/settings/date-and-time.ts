import type { Activity, AppContext } from '../app.js';
import { listRow } from '../list-rows.js';
import { settingsPage, settingToggle } from './settings-page.js';

/** The page "Date & time": the phone's clock in the phone's zone, and the zone of its exit. */
export function dateAndTime(context: AppContext): Activity {
  const { clock, timeZone, zoneTime, network } = context;
  const nowMs = clock.now();
  const automatic = settingToggle(context, 'Set time zone automatically', 'auto_time_zone', {
    key: 'auto_time_zone',
    absent: '1',
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
