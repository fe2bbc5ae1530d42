import type { ComponentReport, DayReport } from '../report/report.js';
import { counted, dateText } from './html.js';

/**
 * The width of a bar, and the height of the picture. Each day is one unit wide, and the rest of it is the gap. The picture is stretched to
 * the width of the page.
 */
const [BAR_WIDTH, HEIGHT] = [0.72, 40];

/** Height of a bar by the day's state. */
const HEIGHTS: Record<DayReport['status'], number> = { problem: HEIGHT, ok: 30, no_data: 8 };

/** Returns a picture with a bar for each day. Its text for screen readers counts the days by state. */
export function barsHtml({ name, days }: ComponentReport): string {
  const bars = days.map(
    (day, index) =>
      `<rect class="${day.status}" x="${index}" y="${HEIGHT - HEIGHTS[day.status]}" width="${BAR_WIDTH}" height="${HEIGHTS[day.status]}"><title>${dateText(day.date)}: ${dayText(day)}</title></rect>`,
  );
  return `<svg viewBox="0 0 ${days.length} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${name}, the last ${days.length} days: ${summaryOf(days)}">${bars.join('')}</svg>`;
}

/** The same bar, for the legend. */
export function legendBar(status: DayReport['status']): string {
  const height = HEIGHTS[status];
  return `<svg viewBox="0 0 1 ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true"><rect class="${status}" x="0" y="${HEIGHT - height}" width="1" height="${height}"/></svg>`;
}

/** The bars as a table, the newest day first. */
export function daysTable({ name, days }: ComponentReport): string {
  const rows = days
    .toReversed()
    .map((day) => `<tr><th scope="row">${dateText(day.date)}</th><td>${dayText(day)}</td></tr>`);
  return `<details><summary>${name}: the days as a table</summary><table><thead><tr><th scope="col">Day (UTC)</th><th scope="col">Checks</th></tr></thead><tbody>${rows.join('')}</tbody></table></details>`;
}

function dayText({ status, checks, failed }: DayReport): string {
  if (status === 'no_data') return 'no data';
  return status === 'ok' ? `${counted(checks, 'check')}, all good` : `${failed} of ${counted(checks, 'check')} failed`;
}

function summaryOf(days: readonly DayReport[]): string {
  const number = (wanted: DayReport['status']): number => days.filter(({ status }) => status === wanted).length;
  return `${number('ok')} without a problem, ${number('problem')} with a problem, ${number('no_data')} without data`;
}
