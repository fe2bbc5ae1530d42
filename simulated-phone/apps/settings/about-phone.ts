import type { Activity, AppContext } from '../app.js';
import { listRow, section } from '../list-rows.js';
import { settingsPage } from './settings-page.js';

/** Returns the page that shows the names and numbers of this phone, its hardware and its network exit. */
export function aboutPhone(context: AppContext): Activity {
  const { name, model, android, serial, phoneId } = context.identity;
  const { width, height, density } = model.screen;
  const { type, country, address } = context.network.exit;
  return {
    content: settingsPage(context, 'About phone', [
      listRow({ title: 'Device name', detail: name, detailId: 'device_name' }),
      listRow({ title: 'Model', detail: model.name, detailId: 'model' }),
      listRow({ title: 'Android version', detail: android, detailId: 'android_version' }),
      listRow({ title: 'Serial number', detail: serial, detailId: 'serial' }),
      listRow({ title: 'Phone id', detail: phoneId, detailId: 'phone_id' }),
      section('Hardware'),
      listRow({ title: 'Screen', detail: `${width} × ${height}, ${density} dpi`, detailId: 'screen' }),
      listRow({ title: 'Memory', detail: `${model.memoryMb} MB`, detailId: 'memory' }),
      section('Network'),
      listRow({ title: 'Exit', detail: `${type}, ${country.toUpperCase()}`, detailId: 'exit' }),
      listRow({ title: 'Public address', detail: address ?? 'Not known', detailId: 'address' }),
    ]),
  };
}
