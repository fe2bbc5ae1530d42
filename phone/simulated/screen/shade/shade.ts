import type { Target } from '../../apps/app.js';
import type { Settings } from '../../system.js';
import type { Painter } from '../../ui/painter.js';
import { AT_REST } from '../../ui/view.js';
import type { ZoneTime } from '../../ui/zone-time.js';
import type { Notifications, PhoneNotification } from '../notifications.js';
import { Window, type WindowManager } from '../window.js';
import type { QuickTile } from './quick-tile.js';
import { shadeView } from './shade-view.js';

const SLIDE_MS = 200;

export interface ShadeHost {
  manager: WindowManager;
  notifications: Notifications;
  settings: Settings;
  zoneTime: ZoneTime;
  timeZone(): string;
  /** Wall-clock time, ms since the epoch. */
  now(): number;
  /** At which the phone's own movements are shown. */
  windowScale(): number;
  labelOf(packageName: string): string;
  drawIconOf(packageName: string, painter: Painter, size: number): void;
  launch(target: Target, extras: Readonly<Record<string, string>>): void;
  /** It has opened or closed, or shows something else. */
  changed(): void;
}

/** The notification shade: a window of the system above all apps, opened by a swipe from the top or by `cmd statusbar`. */
export class Shade {
  readonly #host: ShadeHost;
  #window: Window | undefined;

  constructor(host: ShadeHost) {
    this.#host = host;
  }

  /** Undefined while it is closed. */
  get window(): Window | undefined {
    return this.#window;
  }

  open(): void {
    if (this.#window) return;
    const window = this.#show();
    const height = this.#host.manager.display().height;
    window.root.animate({ dx: 0, dy: -height, alpha: 1 }, AT_REST, SLIDE_MS * this.#host.windowScale());
  }

  close(): void {
    if (!this.#window) return;
    this.#window = undefined;
    this.#host.changed();
  }

  /** Notifications or settings are others. */
  refresh(): void {
    if (this.#window) this.#show();
  }

  #show(): Window {
    const { manager, notifications, zoneTime } = this.#host;
    const zone = this.#host.timeZone();
    const root = shadeView({
      time: zoneTime.hours(this.#host.now(), zone),
      date: zoneTime.date(this.#host.now(), zone),
      tiles: this.#tiles(),
      notifications: notifications.list(),
      labelOf: (name) => this.#host.labelOf(name),
      timeOf: ({ postedMs }) => zoneTime.hours(postedMs, zone),
      drawIconOf: (name, painter, size) => this.#host.drawIconOf(name, painter, size),
      onOpen: (notification) => this.#open(notification),
      onDismiss: ({ key }) => notifications.cancel(key),
      onClearAll: () => {
        notifications.cancelAll();
        this.close();
      },
      onClose: () => this.close(),
    });
    this.#window = new Window({
      manager,
      kind: 'shade',
      package: 'com.android.systemui',
      root,
      onDismiss: () => this.close(),
    });
    this.#host.changed();
    return this.#window;
  }

  #open({ key, target, extras }: PhoneNotification): void {
    this.#host.notifications.cancel(key);
    this.close();
    if (target) this.#host.launch(target, extras);
  }

  #tiles(): QuickTile[] {
    const { settings } = this.#host;
    const tile = (
      label: string,
      icon: QuickTile['icon'],
      namespace: 'global' | 'system',
      key: string,
      absent: string,
    ): QuickTile => {
      const isOn = (settings.get(namespace, key) ?? absent) === '1';
      return { label, icon, isOn, onToggle: () => settings.put(namespace, key, isOn ? '0' : '1') };
    };
    return [
      tile('Internet', 'wifi', 'global', 'wifi_on', '1'),
      tile('Airplane mode', 'offline', 'global', 'airplane_mode_on', '0'),
      tile('Auto-rotate', 'refresh', 'system', 'accelerometer_rotation', '1'),
    ];
  }
}
