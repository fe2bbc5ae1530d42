import type { Target } from '../system/target.js';
import { AT_REST } from '../ui/view.js';
import type { Notifications, PhoneNotification } from './notifications.js';
import type { PackageIcons } from './package-icons.js';
import type { ScreenCore } from './screen-core.js';
import { Window, type WindowManager } from './window.js';
import type { QuickTile } from './quick-tile.js';
import { shadeView } from './shade-view.js';

const SLIDE_MS = 200;

/** Label of the app whose notifications `cmd notification` posts. */
const SHELL_LABEL = 'Shell';

export interface ShadeHost {
  core: ScreenCore;
  manager: WindowManager;
  icons: PackageIcons;
  notifications: Notifications;
  launch(target: Target, extras: Readonly<Record<string, string>>): void;
  /** Called when the shade has opened or closed, or shows something else. */
  changed(): void;
}

/** The notification shade: a window of the system above all apps, opened by a swipe from the top or by `cmd statusbar`. */
export class Shade {
  readonly #host: ShadeHost;
  #window: Window | undefined;

  constructor(host: ShadeHost) {
    this.#host = host;
  }

  /** The window; undefined while the shade is closed. */
  get window(): Window | undefined {
    return this.#window;
  }

  open(): void {
    if (this.#window) return;
    const window = this.#show();
    const { display } = this.#host.core;
    const durationMs = SLIDE_MS * display.animationScale('window_animation_scale');
    window.root.animate({ dx: 0, dy: -display.heightDp, alpha: 1 }, AT_REST, durationMs);
  }

  close(): void {
    if (!this.#window) return;
    this.#window = undefined;
    this.#host.changed();
  }

  toggle(): void {
    if (this.#window) this.close();
    else this.open();
  }

  /** Shows the present notifications and settings. */
  refresh(): void {
    if (this.#window) this.#show();
  }

  #show(): Window {
    const { core, icons, manager, notifications } = this.#host;
    const { zoneTime } = core.drawing;
    const zone = core.timeZone;
    const nowMs = core.system.clock.now();
    const root = shadeView({
      time: zoneTime.hours(nowMs, zone),
      date: zoneTime.date(nowMs, zone),
      tiles: this.#tiles(),
      notifications: notifications.list(),
      labelOf: (name) => icons.labelOf(name) ?? SHELL_LABEL,
      timeOf: ({ postedMs }) => zoneTime.hours(postedMs, zone),
      drawIconOf: (name, painter, size) => icons.draw(name, painter, size),
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
    const { settings } = this.#host.core.system;
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
