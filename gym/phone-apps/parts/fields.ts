import { type Day, type DateFieldOptions } from '../../../simulated-phone/apps/date-field.js';
import type { AppContext } from '../../../simulated-phone/apps/app.js';
import type { View } from '../../../simulated-phone/ui/view.js';
import type { Toolkit } from '../../../simulated-phone/host/load-apps.js';

/** A field of a form. */
export type Field =
  | { kind: 'text' | 'number' | 'long' | 'password'; name: string; value?: string; must?: RegExp; hint?: string }
  | { kind: 'choice' | 'radio'; name: string; choices: readonly string[]; value?: string }
  | { kind: 'check' | 'switch'; name: string; value?: boolean; must?: true }
  | { kind: 'date'; name: string; value: string };

export type Values = Record<string, string | boolean>;

/** Views of fields, and what they hold. */
export interface Fields {
  views: View[];
  values: () => Values;
  /** Returns what is wrong with the values. Undefined: nothing. */
  fault: () => string | undefined;
}

/** Makes the views of a form's fields. */
export function fieldsOf(ui: Toolkit, context: AppContext, fields: readonly Field[]): Fields {
  const made = fields.map((field) => ({ field, ...viewOf(ui, context, field) }));
  return {
    views: made.flatMap(({ views }) => views),
    values: () => Object.fromEntries(made.map(({ field, value }) => [field.name, value()])),
    fault: () => {
      for (const { field, value } of made) {
        const wrong = faultOf(field, value());
        if (wrong !== undefined) return `${field.name}: ${wrong}`;
      }
      return undefined;
    },
  };
}

function viewOf(ui: Toolkit, context: AppContext, field: Field): { views: View[]; value: () => string | boolean } {
  const { checkBox, dateField, DropDown, edit, radio, radioChoice, text, theme, toggle } = ui;
  const id = field.name.toLowerCase().replace(/\W+/g, '_');
  switch (field.kind) {
    case 'choice': {
      const chosen = Math.max(0, field.choices.indexOf(field.value ?? ''));
      const view = new DropDown({ id, description: field.name, choices: field.choices, chosen });
      return { views: [view], value: () => view.choice };
    }
    case 'radio': {
      let value = field.value ?? '';
      const views = field.choices.map((label) => radio(label, { width: 'fill', checked: label === value }));
      radioChoice(views, (label) => (value = label));
      return { views: [text(field.name, { size: 14, color: theme.textSoft }), ...views], value: () => value };
    }
    case 'check':
    case 'switch': {
      const make = field.kind === 'check' ? checkBox : toggle;
      const view = make(field.name, { id, width: 'fill', checked: field.value ?? false });
      return { views: [view], value: () => view.checked };
    }
    case 'date': {
      let value = field.value;
      const options: DateFieldOptions = {
        id,
        description: field.name,
        value: dayOf(value),
        onChange: (day) => (value = textOf(day)),
      };
      return { views: [dateField(context, options)], value: () => value };
    }
    default: {
      const more = {
        number: field.kind === 'number',
        password: field.kind === 'password',
        multiLine: field.kind === 'long',
      };
      const view = edit({ id, hint: field.name, text: field.value ?? '', ...more });
      return { views: [view], value: () => view.text };
    }
  }
}

function faultOf(field: Field, given: string | boolean): string | undefined {
  if (field.kind === 'check' || field.kind === 'switch')
    return field.must && given !== true ? 'must be accepted' : undefined;
  if (!('must' in field) || !(field.must instanceof RegExp) || field.must.test(String(given))) return undefined;
  return 'hint' in field ? field.hint : 'is not valid';
}

function dayOf(text: string): Day {
  const [year = 2026, month = 1, day = 1] = text.split('-').map(Number);
  return { year, month, day };
}

function textOf({ year, month, day }: Day): string {
  return `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}
