/** Markup that is sent as it is. It comes from `markup`, which escapes every text in it, or from the Markdown library. */
export class Html {
  constructor(private readonly markup: string) {}

  toString(): string {
    return this.markup;
  }
}

/** A value in a template of markup: nothing, markup, or a text or number, which is escaped; or a list of these. */
export type Part = Html | string | number | undefined | readonly Part[];

/** The tag of templates of markup: markup`<p>${text}</p>`. Every text in it is escaped, also for attributes in double quotes. */
export function markup(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.map((text, index) => (index === 0 ? text : markupOf(parts[index - 1]) + text)).join(''));
}

function markupOf(part: Part): string {
  if (part === undefined) return '';
  if (part instanceof Html) return part.toString();
  return typeof part === 'object' ? part.map(markupOf).join('') : escapeHtml(String(part));
}

/** Returns the attribute where `holds` is true, for a template: <option${attributeIf(isChosen, 'selected')}>. */
export function attributeIf(holds: boolean, attribute: string): Html | undefined {
  return holds ? new Html(` ${attribute}`) : undefined;
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
