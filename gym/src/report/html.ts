import type { TimelineEntry } from '../episode/episode.js';
import type { Outcome } from '../run/run-task.js';
import { escaped } from './escaped.js';
import type { Report, Sums } from './summary.js';

const STYLE = `body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;color:#1c2430;background:#fff}
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.25rem .6rem;border-bottom:1px solid #dde3ec;vertical-align:top}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}details{border-bottom:1px solid #dde3ec;padding:.3rem 0}summary{cursor:pointer}
pre{white-space:pre-wrap;margin:0;font-size:12.5px}.no{color:#b3261e}.ok{color:#1b7f4b}.wrong{background:#fff3e0}
@media(prefers-color-scheme:dark){body{background:#14171d;color:#e8ecf4}th,td,details{border-color:#2b323d}.no{color:#ff8a80}.ok{color:#6fdca0}.wrong{background:#3a2c14}}`;

/** Returns the report as one page that needs nothing else: the sums by family, and the timeline of each episode. */
export function htmlOf(report: Report): string {
  const { total, families, resetMs, policy, seed } = report;
  const rows = Object.entries(families).map(([name, sums]) => sumsRow(name, sums));
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Gym: ${total.succeeded} of ${total.episodes}</title><style>${STYLE}</style></head>
<body><h1>${total.succeeded} of ${total.episodes} episodes reached their goal</h1>
<p>Policy <b>${escaped(policy)}</b>, seed ${seed}. A reset took ${resetMs.median} ms (median), ${resetMs.most} ms at most.</p>
<table><thead><tr><th>Family</th>${HEADS.map((head) => `<th class="n">${head}</th>`).join('')}</tr></thead>
<tbody>${rows.join('\n')}${sumsRow('All', total)}</tbody></table>
<h2>Episodes</h2>
${report.episodes.map(episodeOf).join('\n')}
</body></html>
`;
}

const HEADS = ['Success', 'Steps', 'Tokens', 'Wrong presses', 'Seconds'];

function sumsRow(name: string, { episodes, succeeded, steps, tokens, wrongPresses, seconds }: Sums): string {
  const cells = [`${succeeded} of ${episodes}`, steps, tokens, wrongPresses, seconds.toFixed(1)];
  return `<tr><td>${escaped(name)}</td>${cells.map((cell) => `<td class="n">${cell}</td>`).join('')}</tr>`;
}

function episodeOf({ task, seed, goal, success, reason, steps, seconds, timeline }: Outcome): string {
  const word = success ? '<b class="ok">reached</b>' : '<b class="no">missed</b>';
  const why = reason === undefined ? '' : `<p class="no">${escaped(reason)}</p>`;
  return `<details${success ? '' : ' open'}><summary>${word} ${escaped(task)}, seed ${seed}: ${steps} steps, ${seconds.toFixed(1)} s</summary>
<p>${escaped(goal)}</p>${why}<table><thead><tr><th class="n">Step</th><th class="n">At</th><th>Action</th><th>What changed</th></tr></thead><tbody>
${timeline.map(entryOf).join('\n')}</tbody></table></details>`;
}

function entryOf({ step, atMs, action, changed, error, isWrongPress }: TimelineEntry): string {
  const fault = error === undefined ? '' : `<pre class="no">${escaped(error)}</pre>`;
  const cells = `<td><pre>${escaped(JSON.stringify(action))}</pre></td><td>${fault}<pre>${escaped(changed)}</pre></td>`;
  return `<tr${isWrongPress ? ' class="wrong"' : ''}><td class="n">${step}</td><td class="n">${(atMs / 1_000).toFixed(1)} s</td>${cells}</tr>`;
}
