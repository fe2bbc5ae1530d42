/** How a language writes values that are JSON. */
export interface LiteralStyle {
  text(value: string): string;
  /** The name of a field, with what is before its value. */
  field(name: string): string;
  /** The words for true, false and null. */
  words: readonly [yes: string, no: string, nothing: string];
  /** Between the braces of an object on one line and what is in it. */
  gap: string;
  indent: string;
  /** Behind the last of several lines. */
  lastComma: '' | ',';
  /** Longest line, characters. */
  width: number;
}

/** Writes a value as a literal: on one line where it fits beside what stands before it, else one line for each entry. */
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

/** A text of TypeScript. */
export function scriptText(value: string): string {
  return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

/** Adds spaces to every line but the first. */
export function indented(text: string, spaces: string): string {
  return text.replaceAll('\n', `\n${spaces}`);
}
