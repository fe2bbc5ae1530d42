import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { components } from '../components.js';
import type { ComponentReport, ComponentStatus, IncidentReport, StatusReport } from '../report/report.js';
import { barsHtml, daysTable, legendBar } from './days.js';
import { counted, durationText, escapeHtml, timeHtml } from './html.js';

/** The style is put into the page, so that one request loads all. It is read from the sources, as dist/ has compiled files only. */
const style = readFileSync(new URL('../../../status-service/page/page.css', import.meta.url), 'utf8');

/** The sources that the page may load from: the one style in it. */
export const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const STATES: Record<ComponentStatus, string> = {
  ok: 'Working',
  problem: 'Has a problem',
  not_checked: 'Not checked',
  no_data: 'No data',
};

/** Returns the status page, which has no script and loads nothing else. */
export function renderPage(report: StatusReport): string {
  const { status, components: shown, incidents, checked_at, interval_s } = report;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Cloud phones: ${escapeHtml(overallText(report))}</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<main>
<h1>Status of cloud phones</h1>
<p class="overall ${status}">${escapeHtml(overallText(report))}</p>
<p class="soft">${checked_at === null ? 'Not checked yet.' : `Last checked ${timeHtml(checked_at)}.`} Checks are made at most every ${interval_s / 60} minutes.</p>
<h2>The last ${shown[0]?.days.length ?? 0} days</h2>
<ul class="legend soft">
<li>${legendBar('ok')}no problem</li>
<li>${legendBar('problem')}some checks failed</li>
<li>${legendBar('no_data')}no data</li>
</ul>
${shown.map(componentHtml).join('\n')}
<h2>Incidents</h2>
${incidents.length === 0 ? '<p>None were seen in these days.</p>' : `<ul class="incidents">${incidents.map(incidentHtml).join('\n')}</ul>`}
<p class="soft">Days and times are in UTC. The same for programs: <a href="/status.json">status.json</a></p>
</main>
</body>
</html>
`;
}

function overallText({ status, components: shown }: StatusReport): string {
  if (status === 'no_data') return 'The state is not known: there was no check lately.';
  const failing = shown.filter((component) => component.status === 'problem').map(({ name }) => name);
  if (failing.length > 0) return `There is a problem: ${failing.join(', ')}`;
  const unchecked = shown.filter((component) => component.status !== 'ok').map(({ name }) => name);
  return unchecked.length === 0
    ? 'Everything works'
    : `All that is checked works; not checked: ${unchecked.join(', ')}`;
}

function componentHtml(component: ComponentReport): string {
  const { name, about, status, uptime, days } = component;
  const checks = days.reduce((sum, day) => sum + day.checks, 0);
  const share =
    uptime === null
      ? 'No checks in these days.'
      : `${percent(uptime)} of ${counted(checks, 'check')} found it working.`;
  return `<section class="component" aria-label="${name}">
<div class="head"><h3>${name}</h3><span class="state ${status}">${STATES[status]}</span></div>
<p class="soft">${about} ${share}</p>
${barsHtml(component)}
${daysTable(component)}
</section>`;
}

/** Rounds down, so that only a component that never failed has 100 %. */
function percent(share: number): string {
  return `${(Math.floor(share * 10_000 + 1e-6) / 100).toFixed(2).replace(/\.?0+$/, '')} %`;
}

function incidentHtml({ component, what, started_at, ended_at, duration_s, state }: IncidentReport): string {
  const name = components.find(({ id }) => id === component)?.name ?? component;
  const until = ended_at === null ? 'still going on' : `until ${timeHtml(ended_at)}`;
  const after = state === 'not_observed_further' ? ', and was not checked after that' : '';
  return `<li class="incident"><h3>${name}: ${escapeHtml(what)}</h3><p>${durationText(duration_s)}, ${until}${after}</p><p class="soft">Began ${timeHtml(started_at)}</p></li>`;
}
