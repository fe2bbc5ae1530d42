import { iconButton } from '../ui/button.js';
import { column, row } from '../ui/containers.js';
import { text, type TextView } from '../ui/text-view.js';
import { theme } from '../ui/theme.js';
import { View, type ViewOptions } from '../ui/view.js';
import type { AppContext } from './app.js';

/** A day of the calendar, without a time. */
export interface Day {
  year: number;
  /** 1 to 12. */
  month: number;
  day: number;
}

export interface DateFieldOptions extends ViewOptions {
  value: Day;
  onChange: (value: Day) => void;
}

/** Returns a field that opens Android's date picker. */
export function dateField(context: AppContext, { value, onChange, ...options }: DateFieldOptions): View {
  let chosen = value;
  const field: TextView = text(shortDate(value), {
    width: 'fill',
    padding: [13, 16],
    radius: 8,
    border: theme.outline,
    ...options,
    onClick: () => {
      const picker = datePicker(chosen);
      context.dialog({
        content: picker.view,
        buttons: [
          { label: 'Cancel' },
          {
            label: 'OK',
            onClick: () => {
              chosen = picker.chosen();
              field.text = shortDate(chosen);
              onChange(chosen);
            },
          },
        ],
      });
    },
  });
  return field;
}

/** Returns a view of a month with its days. The resource ids and descriptions are those of Android's calendar. */
function datePicker(value: Day): { view: View; chosen: () => Day } {
  let chosen = value;
  let shown = { year: value.year, month: value.month };
  const header = text('', { id: 'android:id/date_picker_header_date', size: 26, weight: 500 });
  const title = text('', { size: 15, weight: 500, share: 1, align: 'center' });
  const weeks = column({ id: 'android:id/month_view', width: 'fill', gap: 2 }, []);
  const turn = (by: number): void => {
    const next = new Date(Date.UTC(shown.year, shown.month - 1 + by, 1));
    shown = { year: next.getUTCFullYear(), month: next.getUTCMonth() + 1 };
    show();
  };
  const show = (): void => {
    header.text = format(chosen, { weekday: 'short', month: 'short', day: 'numeric' });
    title.text = format({ ...shown, day: 1 }, { month: 'long', year: 'numeric' });
    weeks.setChildren(weeksOf(shown).map((days) => row({ width: 'fill' }, days.map(cell))));
  };
  const cell = (day: number | undefined): View => {
    if (day === undefined) return new View({ share: 1, height: CELL_DP });
    const at = { ...shown, day };
    const isChosen = at.day === chosen.day && at.month === chosen.month && at.year === chosen.year;
    return text(String(day), {
      share: 1,
      height: CELL_DP,
      align: 'center',
      size: 14,
      radius: CELL_DP / 2,
      description: format(at, { day: '2-digit', month: 'long', year: 'numeric' }),
      selected: isChosen,
      ...(isChosen && { background: theme.primary, color: theme.onPrimary }),
      onClick: () => {
        chosen = at;
        show();
      },
    });
  };
  show();
  const bar = row({ width: 'fill' }, [
    iconButton({ id: 'android:id/prev', icon: 'back', description: 'Previous month', onClick: () => turn(-1) }),
    title,
    iconButton({ id: 'android:id/next', icon: 'chevron', description: 'Next month', onClick: () => turn(1) }),
  ]);
  return {
    view: column({ id: 'android:id/datePicker', width: 'fill', gap: 8 }, [header, bar, weeks]),
    chosen: () => chosen,
  };
}

const CELL_DP = 34;

/** Returns the days in rows of seven from Sunday; undefined before and after the month. */
function weeksOf({ year, month }: { year: number; month: number }): (number | undefined)[][] {
  const first = new Date(Date.UTC(year, month - 1, 1)).getUTCDay();
  const count = new Date(Date.UTC(year, month, 0)).getUTCDate();
  return Array.from({ length: Math.ceil((first + count) / 7) }, (_, week) =>
    Array.from({ length: 7 }, (_none, at) => {
      const day = week * 7 + at - first + 1;
      return day >= 1 && day <= count ? day : undefined;
    }),
  );
}

function shortDate(day: Day): string {
  return format(day, { day: 'numeric', month: 'short', year: 'numeric' });
}

function format({ year, month, day }: Day, parts: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat('en-GB', { ...parts, timeZone: 'UTC' }).format(Date.UTC(year, month - 1, day));
}
