/** The way in which a language writes JSON values. */
export interface LiteralStyle {
  text(value: string): string;
  /** Returns the name of a field and the separator before its value. */
  field(name: string): string;
  /** The words for true, false and null. */
  words: readonly [yes: string, no: string, nothing: string];
  /** The space inside the braces of an object that is on one line. */
  gap: string;
  indent: string;
  /** The comma after the last entry, where each entry has its own line. */
  lastComma: '' | ',';
  /** Longest line, characters. */
  width: number;
}

/** Writes a value as a literal: on one line if it fits there after `before`, else with one line for each entry. */
export function literal(value: unknown, style: LiteralStyle, before = '', depth = 0): string {
  const line = onOneLine(value, style);
  const room = style.width - before.length - depth * style.indent.length;
  if (line.length <= room || typeof value !== 'object' || value === null) return line;
  const inner = style.indent.repeat(depth + 1);
  const entries = Array.isArray(value)
    ? value.map((item: unknown) => inner + literal(item, style, '', depth + 1))
    : Object.entries(value).map(([name, item]) => {
        const start = style.field(name);
        return inner + start + literal(item, style, start, depth + 1);
      });
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  return `${open}\n${entries.join(',\n')}${style.lastComma}\n${style.indent.repeat(depth)}${close}`;
}

function onOneLine(value: unknown, style: LiteralStyle): string {
  if (typeof value === 'string') return style.text(value);
  if (typeof value === 'boolean') return style.words[value ? 0 : 1];
  if (value === null || value === undefined) return style.words[2];
  if (Array.isArray(value)) return `[${value.map((item: unknown) => onOneLine(item, style)).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  const entries = Object.entries(value).map(([name, item]) => style.field(name) + onOneLine(item, style));
  return entries.length === 0 ? '{}' : `{${style.gap}${entries.join(', ')}${style.gap}}`;
}

const WIDTH = 80;

export const JSON_STYLE: LiteralStyle = {
  ...{ text: JSON.stringify, field: (name) => `${JSON.stringify(name)}: `, words: ['true', 'false', 'null'] },
  ...{ gap: '', indent: '  ', lastComma: '', width: WIDTH },
};

export const SCRIPT_STYLE: LiteralStyle = {
  text: scriptText,
  field: (name) => `${/^[A-Za-z_]\w*$/.test(name) ? name : scriptText(name)}: `,
  words: ['true', 'false', 'null'],
  ...{ gap: ' ', indent: '  ', lastComma: ',', width: WIDTH },
};

export const PYTHON_STYLE: LiteralStyle = {
  ...{ text: JSON.stringify, field: (name) => `${JSON.stringify(name)}: `, words: ['True', 'False', 'None'] },
  ...{ gap: '', indent: '    ', lastComma: ',', width: WIDTH },
};

/** Returns a string literal of TypeScript. */
export function scriptText(value: string): string {
  return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

/** Adds spaces to every line but the first. */
export function indented(text: string, spaces: string): string {
  return text.replaceAll('\n', `\n${spaces}`);
}
