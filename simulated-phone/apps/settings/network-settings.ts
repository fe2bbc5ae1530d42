import type { Activity, AppContext } from '../app.js';
import { listRow, section } from '../list-rows.js';
import { settingsPage, settingToggle } from './settings-page.js';

/** Wi-Fi and airplane mode, and the exit that the phone's traffic leaves by. */
export function networkSettings(context: AppContext): Activity {
  const { settings } = context;
  const wifi = settingToggle(context, 'Wi-Fi', 'wifi', { key: 'wifi_on', absent: '1' });
  const airplane = settingToggle(context, 'Airplane mode', 'airplane', { key: 'airplane_mode_on', absent: '0' });
  const refresh = (): void => {
    wifi.checked = settings.get('global', 'wifi_on') !== '0';
    airplane.checked = settings.get('global', 'airplane_mode_on') === '1';
  };
  const { type, country, address, timezone } = context.network.exit;
  return {
    content: settingsPage(context, 'Network & internet', [
      wifi,
      airplane,
      section('Exit'),
      listRow({ title: 'Type', detail: type, detailId: 'exit_type' }),
      listRow({ title: 'Country', detail: country.toUpperCase(), detailId: 'exit_country' }),
      listRow({ title: 'Public address', detail: address ?? 'Not known', detailId: 'exit_address' }),
      listRow({ title: 'Time zone', detail: timezone, detailId: 'exit_timezone' }),
    ]),
    onResume: refresh,
  };
}
