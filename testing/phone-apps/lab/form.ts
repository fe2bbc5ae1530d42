import type { Activity, AppContext } from '../../../simulated-phone/apps/app.js';
import type { Toolkit } from '../../../simulated-phone/host/load-apps.js';
import { labPage } from './lab-page.js';

const COUNTRIES = ['Austria', 'Brazil', 'Canada', 'Denmark', 'Estonia', 'France', 'Germany', 'Japan'] as const;

/** Every kind of control, and a button that shows the values entered. */
export function formScreen(ui: Toolkit, context: AppContext): Activity {
  const { button, checkBox, radio, radioChoice, toggle, column, DropDown, edit, SeekBar, text, theme } = ui;
  const name = edit({ id: 'name', hint: 'Name', enterAction: 'next' });
  const email = edit({ id: 'email', hint: 'E-mail', enterAction: 'next' });
  const password = edit({ id: 'password', hint: 'Password', password: true, enterAction: 'next' });
  const age = edit({ id: 'age', hint: 'Age', number: true, maxLength: 3, enterAction: 'next' });
  const about = edit({ id: 'about', hint: 'About you', multiLine: true });
  const country = new DropDown({ id: 'country', description: 'Country', choices: COUNTRIES });
  const level = text('Level: 50', { id: 'level_label', size: 14, color: theme.textSoft });
  const slider = new SeekBar({
    id: 'level',
    description: 'Level',
    value: 50,
    onChange: (value) => {
      level.text = `Level: ${value}`;
    },
  });
  let size = 'Medium';
  const sizes = ['Small', 'Medium', 'Large'].map((label) =>
    radio(label, { id: `size_${label.toLowerCase()}`, width: 'fill', checked: label === size }),
  );
  radioChoice(sizes, (label) => {
    size = label;
  });
  const news = toggle('Send me news', { id: 'news', width: 'fill' });
  const terms = checkBox('I accept the terms', {
    id: 'terms',
    width: 'fill',
    onChange: (accepted) => {
      submit.enabled = accepted;
    },
  });
  const result = column({ id: 'result', width: 'fill', gap: 2 }, []);
  const submit = button('Submit', {
    id: 'submit',
    width: 'fill',
    enabled: false,
    onClick: () => {
      context.focus(undefined);
      const values: [string, string][] = [
        ['Name', name.text],
        ['E-mail', email.text],
        ['Password', `${password.text.length} characters`],
        ['Age', age.text],
        ['About', about.text],
        ['Country', country.choice],
        ['Level', String(slider.value)],
        ['Size', size],
        ['News', news.checked ? 'yes' : 'no'],
      ];
      result.setChildren(
        values.map(([label, value]) => text(`${label}: ${value}`, { id: `result_${label.toLowerCase()}`, size: 15 })),
      );
      context.toast('Submitted');
    },
  });
  return {
    content: labPage(ui, context, 'Form', [
      result,
      name,
      email,
      password,
      age,
      about,
      country,
      level,
      slider,
      ...sizes,
      news,
      terms,
      submit,
    ]),
  };
}
