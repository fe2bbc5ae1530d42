import { Lexer, Parser, Renderer, type Tokens } from 'marked';
import { codeBlock } from './code-block.js';
import { escapeHtml, Html } from './html.js';
import { PlaceIds } from './place-ids.js';
import { plainText } from './plain-text.js';

/** Finds the addresses to which texts lead. */
export interface Links {
  /** The address of a link's target in Markdown; undefined when the pages do not have it: the link's text is shown alone. */
  linkTo(target: string): string | undefined;
  /** The address of the operation that a text such as `GET /v1/devices/{name}` names; undefined when it names none. */
  operationAt(text: string): string | undefined;
}

/** A title inside of a text. */
export interface Heading {
  id: string;
  text: string;
  depth: number;
}

/**
 * Renders Markdown of our own files and of comments in the contract. HTML in it is shown as text; HTML pictures and notes are left out.
 * Names of operations become links to them, in code and outside of it.
 */
export function renderMarkdown(markdown: string, links: Links): { content: Html; headings: Heading[] } {
  const renderer = new PageRenderer(links);
  const content = new Html(Parser.parse(Lexer.lex(markdown), { renderer }));
  return { content, headings: renderer.headings };
}

/** Renders a text without paragraphs, such as a title. */
export function renderInline(markdown: string, links: Links): Html {
  return new Html(Parser.parseInline(Lexer.lexInline(markdown), { renderer: new PageRenderer(links) }));
}

const OPERATION = /\b(?:GET|POST|PUT|PATCH|DELETE) \/v1\/[\w/{}.-]*[\w}]/g;

/** HTML of our files that the pages leave out: pictures that depend on the theme, with the paragraph around them, and notes. */
const PICTURE_OR_NOTE = /^\s*(?:<\/?(?:p|picture|source|img)\b[^>]*>\s*|<!--[^]*?-->\s*)+$/;

class PageRenderer extends Renderer {
  readonly headings: Heading[] = [];
  readonly #ids = new PlaceIds();
  readonly #links: Links;
  #isInLink = false;

  constructor(links: Links) {
    super();
    this.#links = links;
  }

  override html({ text }: Tokens.HTML | Tokens.Tag): string {
    return PICTURE_OR_NOTE.test(text) ? '' : escapeHtml(text);
  }

  override code({ text, lang = '' }: Tokens.Code): string {
    // Words after the language are meant for other programs, so they are left out.
    return codeBlock(text, /^\S*/.exec(lang)?.[0]).toString();
  }

  override codespan({ text }: Tokens.Codespan): string {
    const code = `<code>${escapeHtml(text)}</code>`;
    const address = this.#isInLink ? undefined : this.#links.operationAt(text);
    return address === undefined ? code : `<a href="${escapeHtml(address)}">${code}</a>`;
  }

  override text(token: Tokens.Text | Tokens.Escape): string {
    if ('tokens' in token) return this.parser.parseInline(token.tokens);
    return this.#withLinks(token.text);
  }

  override heading({ tokens, text, depth }: Tokens.Heading): string {
    const id = this.#ids.ofHeading(text);
    this.headings.push({ id, text: plainText(text), depth });
    return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
  }

  override link({ href, tokens }: Tokens.Link): string {
    this.#isInLink = true;
    const text = this.parser.parseInline(tokens);
    this.#isInLink = false;
    const address = this.#links.linkTo(href);
    return address === undefined ? text : `<a href="${escapeHtml(address)}">${text}</a>`;
  }

  /** Shows the text of a picture in its place. Pictures come from other hosts, from which the pages may not load. */
  override image({ text }: Tokens.Image): string {
    return escapeHtml(text);
  }

  override table({ header, rows }: Tokens.Table): string {
    const row = (cells: readonly Tokens.TableCell[], open: string, close: string, id?: string): string => {
      const place = id === undefined ? '' : ` id="${escapeHtml(id)}"`;
      return `<tr${place}>${cells.map(({ tokens }) => open + this.parser.parseInline(tokens) + close).join('')}</tr>`;
    };
    const body = rows.map((cells) => row(cells, '<td>', '</td>', this.#ids.ofRow(cells))).join('');
    const head = row(header, '<th scope="col">', '</th>');
    return `<div class="wide" tabindex="0" role="group" aria-label="Table"><table><thead>${head}</thead><tbody>${body}</tbody></table></div>\n`;
  }

  /** A text in which the names of operations are links. */
  #withLinks(text: string): string {
    // Entities of Markdown, such as &lt;, are those of HTML.
    const shown = escapeHtml(text).replace(/&amp;(#?\w{1,10};)/g, '&$1');
    if (this.#isInLink) return shown;
    return shown.replace(OPERATION, (name) => {
      const address = this.#links.operationAt(name);
      return address === undefined ? name : `<a href="${escapeHtml(address)}">${name}</a>`;
    });
  }
}
