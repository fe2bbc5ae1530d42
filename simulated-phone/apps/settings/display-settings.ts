import { radio, radioChoice, toggle } from '../../ui/compound-button.js';
import { column } from '../../ui/containers.js';
import { DropDown } from '../../ui/drop-down.js';
import { SeekBar } from '../../ui/seek-bar.js';
import { text } from '../../ui/text-view.js';
import { theme } from '../../ui/theme.js';
import type { View } from '../../ui/view.js';
import type { Activity, AppContext } from '../app.js';
import { section } from '../list-rows.js';
import { settingsPage } from './settings-page.js';

const FONT_SIZES = [
  ['Small', '0.85'],
  ['Default', '1.0'],
  ['Large', '1.15'],
  ['Largest', '1.3'],
] as const;
const ANIMATIONS = [
  ['Off', '0'],
  ['Half', '0.5'],
  ['Normal', '1'],
  ['Slow (2x)', '2'],
  ['Very slow (5x)', '5'],
] as const;
const ROTATIONS = ['Portrait', 'Landscape', 'Upside down', 'Landscape, turned'] as const;
const SCALES = ['window_animation_scale', 'transition_animation_scale', 'animator_duration_scale'] as const;

/** Returns the page for brightness, rotation, text size and animation speed. */
export function displaySettings(context: AppContext): Activity {
  const { settings } = context;
  const turned = Number(settings.get('system', 'user_rotation') ?? '0');
  const locked = settings.get('system', 'accelerometer_rotation') === '0';
  const rotations = ROTATIONS.map((label, at) =>
    radio(label, { id: `rotation_${at}`, width: 'fill', checked: at === (locked ? turned : 0), enabled: locked }),
  );
  radioChoice(rotations, (label) => {
    settings.put('system', 'user_rotation', String(ROTATIONS.findIndex((known) => known === label)));
  });
  const auto = toggle('Auto-rotate screen', {
    id: 'auto_rotate',
    width: 'fill',
    padding: [14, 20],
    checked: !locked,
    onChange: (on) => {
      for (const choice of rotations) choice.enabled = !on;
      settings.put('system', 'accelerometer_rotation', on ? '1' : '0');
    },
  });
  const bigText = toggle('Big text', {
    id: 'big_text',
    width: 'fill',
    padding: [14, 20],
    checked: Number(settings.get('system', 'font_scale') ?? '1') >= 1.3,
    onChange: (on) => {
      settings.put('system', 'font_scale', on ? '1.3' : '1.0');
      sizes.chosen = on ? 3 : 1;
    },
  });
  const sizes = new DropDown({
    id: 'font_size',
    description: 'Font size',
    choices: FONT_SIZES.map(([label]) => label),
    chosen: closest(FONT_SIZES, settings.get('system', 'font_scale') ?? '1.0'),
    onChange: (at) => {
      const [, scale] = FONT_SIZES[at] ?? FONT_SIZES[1];
      settings.put('system', 'font_scale', scale);
      bigText.checked = scale === '1.3';
    },
  });
  const speeds = new DropDown({
    id: 'animation_scale',
    description: 'Animation speed',
    choices: ANIMATIONS.map(([label]) => label),
    chosen: closest(ANIMATIONS, settings.get('global', 'transition_animation_scale') ?? '1'),
    onChange: (at) => {
      const [, scale] = ANIMATIONS[at] ?? ANIMATIONS[2];
      for (const key of SCALES) settings.put('global', key, scale);
    },
  });
  const brightness = new SeekBar({
    id: 'brightness',
    description: 'Brightness',
    most: 255,
    value: Number(settings.get('system', 'screen_brightness') ?? '128'),
    onChange: (value) => settings.put('system', 'screen_brightness', String(value)),
  });
  return {
    content: settingsPage(context, 'Display', [
      section('Brightness'),
      padded(brightness),
      section('Rotation'),
      auto,
      column({ width: 'fill', padding: [0, 20] }, rotations),
      section('Text'),
      bigText,
      padded(sizes),
      padded(text('The quick brown fox jumps over the lazy dog.', { id: 'sample', color: theme.textSoft })),
      section('Animations'),
      padded(speeds),
    ]),
  };
}

function padded(view: View): View {
  return column({ width: 'fill', padding: [6, 20] }, [view]);
}

function closest(choices: readonly (readonly [string, string])[], value: string): number {
  const wanted = Number(value);
  let best = 0;
  choices.forEach(([, scale], at) => {
    const [, known = '0'] = choices[best] ?? [];
    if (Math.abs(Number(scale) - wanted) < Math.abs(Number(known) - wanted)) best = at;
  });
  return best;
}
