import { Lexer, type Token, type Tokens } from 'marked';
import { namesOf, PlaceIds } from './place-ids.js';
import { plainText } from './plain-text.js';

/** A row of a table that is about a name, such as a setting or a kind of error. */
export interface NamedRow {
  names: readonly string[];
  /** The id of the row, or of its section where the row has none. */
  id: string | undefined;
  /** The text of the row's other cells. */
  text: string;
}

/** A part of a text, from its title up to the next one. */
export interface Section {
  /** Undefined for the first section, which is the text between the page's title and the next title. */
  id: string | undefined;
  title: string;
  /** The text without markup and code. */
  text: string;
  rows: readonly NamedRow[];
}

/** Returns the sections of Markdown, with the ids that `renderMarkdown` gives them. */
export function sectionsOf(markdown: string): Section[] {
  const ids = new PlaceIds();
  const sections: { id: string | undefined; title: string; texts: string[]; rows: NamedRow[] }[] = [];
  let present = { id: undefined as string | undefined, title: '', texts: [] as string[], rows: [] as NamedRow[] };
  sections.push(present);
  for (const token of Lexer.lex(markdown) as Tokens.Generic[]) {
    if (isHeading(token)) {
      const id = ids.ofHeading(token.text);
      // The first section, above all others, has the title of the page.
      if (token.depth === 1) {
        present.title = plainText(token.text);
        continue;
      }
      present = { id, title: plainText(token.text), texts: [], rows: [] };
      sections.push(present);
    } else if (isTable(token)) {
      for (const cells of token.rows) {
        const id = ids.ofRow(cells) ?? present.id;
        const names = namesOf(cells);
        const texts = cells.map(({ text }) => plainText(text));
        present.texts.push(texts.join(' '));
        // The cell with the names is left out.
        const others = texts.filter((text) => text !== names.join(', '));
        if (names.length > 0) present.rows.push({ names, id, text: others.join(' · ') });
      }
    } else present.texts.push(textOf(token));
  }
  return sections.map(({ texts, ...section }) => ({ ...section, text: texts.filter((text) => text !== '').join(' ') }));
}

function isHeading(token: Token): token is Tokens.Heading {
  return token.type === 'heading';
}

function isTable(token: Token): token is Tokens.Table {
  return token.type === 'table';
}

/** The text of a block. Code is left out, as it would be most of the index, and so is HTML. */
function textOf(token: Token): string {
  if (['code', 'html', 'space'].includes(token.type)) return '';
  return plainText(token.raw)
    .replace(/^\s*(?:[-*]|\d+\.) /gm, '')
    .replace(/\s+/g, ' ')
    .trim();
}
