/** The names of attributes, in the order of the server. */
const NAMES = ['index', 'package', 'class', 'text', 'content-desc', 'resource-id', 'checkable', 'checked', 'clickable', 'enabled', 'focusable', 'focused', 'long-clickable', 'password', 'scrollable', 'selected', 'bounds', 'displayed', 'hint', 'a11y-important', 'screenReaderFocusable', 'input-type', 'drawing-order', 'showing-hint', 'text-entry-key', 'dismissable', 'a11y-focused', 'heading', 'live-region', 'context-clickable', 'content-invalid']; // prettier-ignore

const EXTRA: Readonly<Record<string, string>> = {
  displayed: '"true"',
  'a11y-important': '"true"',
  screenReaderFocusable: '"false"',
  'input-type': '"1"',
  'showing-hint': '"false"',
  'text-entry-key': '"false"',
  dismissable: '"false"',
  'a11y-focused': '"false"',
  heading: '"true"',
  'live-region': '"0"',
  'context-clickable': '"true"',
  'content-invalid': '"false"',
};

interface SourceOptions {
  /** Adds hints and the drawing order, which some dumps lack. On the same phone, the server writes them. */
  details?: boolean;
  /** Further roots. */
  after?: string;
}

/**
 * Returns a dump's tree in the format of the UiAutomator2 server. It has the same nodes, read independently of the product's own reader.
 */
export function asSource(xml: string, { details = false, after = '' }: SourceOptions = {}): string {
  const lines = [`<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>`];
  const open: string[] = [];
  let order = 0;
  for (const [tag, name = '', values = ''] of xml.matchAll(
    /<\/?([a-z]+)((?:\s+[\w-]+=(?:"[^"]*"|'[^']*'))*)\s*\/?>/gi,
  )) {
    if (tag.startsWith('</')) {
      lines.push(name === 'hierarchy' ? `${after}</hierarchy>` : `</${open.pop() ?? ''}>`);
      continue;
    }
    const attributes = new Map([...values.matchAll(/([\w-]+)=("[^"]*"|'[^']*')/g)].map(([, key = '', value = '']) => [key, value])); // prettier-ignore
    if (name === 'hierarchy') {
      lines.push(`<hierarchy index="0" class="hierarchy" rotation=${attributes.get('rotation') ?? '"0"'} width="1080" height="2400">`); // prettier-ignore
      continue;
    }
    if (details) {
      attributes.set('drawing-order', `"${++order}"`);
      if (attributes.get('class')?.includes('EditText') === true) attributes.set('hint', attributes.get('text') ?? '');
    }
    const className = (attributes.get('class') ?? '').slice(1, -1);
    const element = className.replace(/[$@#&]/g, '.') || 'android.view.View';
    const written = NAMES.flatMap((key) => {
      const value = attributes.get(key) ?? EXTRA[key] ?? '""';
      const isLeftOut = value === '""' && key !== 'text' && key !== 'class';
      return isLeftOut ? [] : [`${key}=${value}`];
    });
    const isEmpty = tag.endsWith('/>');
    lines.push(`<${element} ${written.join(' ')}${isEmpty ? ' />' : '>'}`);
    if (!isEmpty) open.push(element);
  }
  return lines.join('\n');
}
