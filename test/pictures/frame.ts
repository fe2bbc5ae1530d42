/** The size of a picture of the panel with calls beside it, CSS pixels. */
export const FRAME = { width: 1200, height: 780 } as const;

/** The part of it that the panel has. */
export const PANEL = { width: 760, height: 780 } as const;

export type Scheme = 'light' | 'dark';

/** How many lines of a response are shown. */
const MAX_LINES = 12;

/** A call as it is shown: its body, and its response once that has come. */
export interface ShownCall {
  step: Record<string, unknown>;
  response: string | undefined;
}

const COLOURS = {
  light: { page: '#f6f7f9', ink: '#1c2024', quiet: '#60646c', line: '#d9dce1', accent: '#0b68cb', good: '#18794e' },
  dark: { page: '#111317', ink: '#edeef0', quiet: '#9aa1ab', line: '#2b2f36', accent: '#70b8ff', good: '#3dd68c' },
} as const;

/** Writes the page that puts a picture of the panel beside the calls that led to it. The last call is whole, those before are one line. */
export function framePage(scheme: Scheme, picture: Buffer, calls: readonly ShownCall[]): string {
  const colours = COLOURS[scheme];
  const shown = calls.map((call, at) => (at === calls.length - 1 ? wholeCall(call) : pastCall(call))).join('');
  return `<!doctype html><style>
    * { box-sizing: border-box; margin: 0 }
    body { width: ${FRAME.width}px; height: ${FRAME.height}px; display: flex; background: ${colours.page}; overflow: hidden }
    img { width: ${PANEL.width}px; height: ${PANEL.height}px; border-right: 1px solid ${colours.line} }
    pre { flex: 1; min-width: 0; padding: 28px 24px; overflow: hidden; color: ${colours.ink}; white-space: pre-wrap; overflow-wrap: anywhere;
      font: 14px/22px ui-monospace, 'DejaVu Sans Mono', 'Liberation Mono', monospace }
    .quiet { color: ${colours.quiet} } .name { color: ${colours.accent} } .good { color: ${colours.good} }
  </style><img src="data:image/png;base64,${picture.toString('base64')}"><pre>${shown}</pre>`;
}

function wholeCall({ step, response }: ShownCall): string {
  const body = bodyOf(step);
  const [status = '', ...lines] = (response ?? '').split('\n');
  const answer =
    response === undefined ? '' : `\n\n<b class="good">${escaped(status)}</b>\n${escaped(shortened(lines))}`;
  return `<b class="name">POST</b> /v1/devices/demo/act\n${escaped(body)}${answer}`;
}

/** One line for each step or condition. */
function bodyOf(step: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(step).map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`);
  return `{${lines.join(',\n ')}}`;
}

function pastCall({ step }: ShownCall): string {
  const text = JSON.stringify(step);
  return `<span class="quiet">POST …/act ${escaped(text.length > 26 ? `${text.slice(0, 25)}…` : text)}</span>\n\n`;
}

/** As many lines as fit. */
function shortened(lines: readonly string[]): string {
  return lines.length <= MAX_LINES ? lines.join('\n') : [...lines.slice(0, MAX_LINES), '…'].join('\n');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
