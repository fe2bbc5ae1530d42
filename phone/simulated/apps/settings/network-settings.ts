import { toggle } from '../../ui/compound-button.js';
import type { Activity, AppContext } from '../app.js';
import { listRow, section } from '../list-rows.js';
import { settingsPage } from './settings-page.js';

/** Wi-Fi and airplane mode, and the exit that the phone's traffic leaves by. */
export function networkSettings(context: AppContext): Activity {
  const { settings } = context;
  const wifi = toggle('Wi-Fi', {
    id: 'wifi',
    width: 'fill',
    padding: [14, 20],
    checked: settings.get('global', 'wifi_on') !== '0',
    onChange: (on) => settings.put('global', 'wifi_on', on ? '1' : '0'),
  });
  const airplane = toggle('Airplane mode', {
    id: 'airplane',
    width: 'fill',
    padding: [14, 20],
    checked: settings.get('global', 'airplane_mode_on') === '1',
    onChange: (on) => settings.put('global', 'airplane_mode_on', on ? '1' : '0'),
  });
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
    onResume: () => {
      wifi.checked = settings.get('global', 'wifi_on') !== '0';
      airplane.checked = settings.get('global', 'airplane_mode_on') === '1';
    },
  };
}
