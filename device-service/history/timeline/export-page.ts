import { createHash } from 'node:crypto';
import { PAGE_SCRIPT, PAGE_STYLE } from './export-page-parts.js';

/** Allows only the page's own script and style, and the pictures in it, so the page can send nothing anywhere. */
const POLICY = [
  "default-src 'none'",
  'img-src data:',
  `style-src '${hashOf(PAGE_STYLE)}'`,
  `script-src '${hashOf(PAGE_SCRIPT)}'`,
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** The policy as a header, for the page at the service's address. It also gives the page a separate origin, and keeps it out of frames. */
export const PAGE_POLICY = `${POLICY}; sandbox allow-scripts; frame-ancestors 'none'`;

/** Returns a page that shows the entries of a device's timeline. Each of `entries` is the JSON of one. The page can be opened from disk. */
export function exportPage(device: string, entries: readonly string[]): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width">
<title>Timeline of ${device}</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
<h1>Timeline of ${device}</h1>
<main>
<section aria-label="Step">
<p><input id="place" type="range" min="0" value="0" aria-label="Step"></p>
<p id="facts" role="status"></p>
<div id="pictures"></div>
<pre id="changed"></pre>
</section>
<ol id="list"></ol>
</main>
<script type="application/json" id="entries">[${entries.map(inScript).join(',\n')}]</script>
<script>${PAGE_SCRIPT}</script>
</body>
</html>
`;
}

/** Returns JSON in which no text can end a script element. */
function inScript(json: string): string {
  return json.replaceAll('<', '\\u003c').replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
