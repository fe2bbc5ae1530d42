import { Family } from '../family.js';
import { settingsLack } from '../phone/settings.js';
import { back, find, open, tap } from './steps.js';

const page = (name: string) => [open('Settings'), tap(name)];

/** Settings of the phone, read by `settings get`. A setting that the goal does not name must stay as it is. */
export const settings = new Family('settings')
  .add('airplane-on', {
    params: () => ({}),
    goal: () => 'Turn on airplane mode.',
    verdict: (phone) => settingsLack(phone, { 'global airplane_mode_on': 1 }),
    policy: () => [...page('Network & internet'), tap('Airplane mode')],
  })
  .add('wifi-off', {
    params: () => ({}),
    goal: () => 'Turn Wi-Fi off, and leave airplane mode off.',
    verdict: (phone) => settingsLack(phone, { 'global wifi_on': 0 }),
    policy: () => [...page('Network & internet'), tap('Wi-Fi')],
  })
  .add('back-online', {
    params: () => ({}),
    goal: () => 'The phone is offline. Bring it back: airplane mode off and Wi-Fi on.',
    prepare: async (phone) => {
      await phone.setSetting('global', 'airplane_mode_on', '1');
      await phone.setSetting('global', 'wifi_on', '0');
    },
    verdict: (phone) => settingsLack(phone, {}),
    policy: () => [...page('Network & internet'), tap('Airplane mode'), tap('Wi-Fi')],
  })
  .add('own-time-zone', {
    params: () => ({}),
    goal: () => 'Stop the phone from setting its time zone automatically.',
    verdict: (phone) => settingsLack(phone, { 'global auto_time_zone': 0 }),
    policy: () => [...page('Date & time'), tap('Set time zone automatically')],
  })
  .add('font-size', {
    params: ({ pick }) => pick([['Small', 0.85], ['Large', 1.15], ['Largest', 1.3]] as const), // prettier-ignore
    goal: ([label]) => `Set the font size to ${label}.`,
    verdict: (phone, [, scale]) => settingsLack(phone, { 'system font_scale': scale }),
    policy: ([label]) => [...page('Display'), find('Font size'), tap('Font size'), tap(label)],
  })
  .add('big-text-off', {
    params: () => ({}),
    goal: () => 'The text on this phone is too big. Turn "Big text" off.',
    prepare: (phone) => phone.setSetting('system', 'font_scale', '1.3'),
    verdict: (phone) => settingsLack(phone, {}),
    policy: () => [...page('Display'), find('Big text'), tap('Big text')],
  })
  .add('animation-speed', {
    params: ({ pick }) => pick([['Half', 0.5], ['Normal', 1], ['Slow (2x)', 2]] as const), // prettier-ignore
    goal: ([label]) => `Set the animation speed to "${label}".`,
    verdict: (phone, [, scale]) =>
      settingsLack(phone, {
        'global window_animation_scale': scale,
        'global transition_animation_scale': scale,
        'global animator_duration_scale': scale,
      }),
    policy: ([label]) => [...page('Display'), find('Animation speed'), tap('Animation speed'), tap(label)],
  })
  .add('lock-rotation', {
    params: ({ pick }) => pick([['Landscape', 1], ['Landscape, turned', 3]] as const), // prettier-ignore
    goal: ([label]) => `Turn auto-rotate off and keep the screen in "${label}".`,
    verdict: (phone, [, turns]) =>
      settingsLack(phone, { 'system accelerometer_rotation': 0, 'system user_rotation': turns }),
    policy: ([label]) => [...page('Display'), tap('Auto-rotate screen'), tap(label)],
  })
  .add('full-brightness', {
    params: ({ int }) => ({ level: int(20, 90) }),
    goal: () => 'Set the brightness to its maximum.',
    prepare: (phone, { level }) => phone.setSetting('system', 'screen_brightness', String(level)),
    verdict: (phone) => settingsLack(phone, { 'system screen_brightness': 255 }),
    *policy() {
      yield open('Settings');
      const { text } = yield tap('Display');
      const y = Number(/ slider .*@\d+,(\d+)/.exec(text)?.[1] ?? 0);
      yield { drag: { from: { x: 360, y }, to: { x: 719, y } } };
    },
  })
  .add('two-pages', {
    params: ({ pick }) => pick([['Small', 0.85], ['Large', 1.15]] as const), // prettier-ignore
    goal: ([label]) => `Set the font size to ${label}, and turn Wi-Fi off.`,
    verdict: (phone, [, scale]) => settingsLack(phone, { 'system font_scale': scale, 'global wifi_on': 0 }),
    policy: ([label]) => [
      ...[...page('Display'), find('Font size'), tap('Font size'), tap(label)],
      ...[back, tap('Network & internet'), tap('Wi-Fi')],
    ],
  });
