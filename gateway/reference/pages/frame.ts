import { REFERENCE } from './address.js';
import { attributeIf, type Html, markup } from './html.js';

/** A link in the sidebar. */
export interface Entry {
  address: string;
  title: string;
}

/** The links of the sidebar. */
export interface Group {
  title: string;
  entries: readonly Entry[];
  /** Whether its entries are shown only on demand, and on their own pages. */
  isFolded?: boolean;
}

export interface Page {
  address: string;
  /** Of the window, without markup. */
  title: string;
  content: Html;
  /** What is on it, for the sidebar. */
  below: readonly Entry[];
}

/** The frame of every page: search, the sidebar, and the page's content. All of it is there without a script. */
export function frame({ address, title, content, below }: Page, groups: readonly Group[]): string {
  return markup`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        <link rel="icon" href="/favicon.svg" />
        <link rel="stylesheet" href="${REFERENCE}page.css" />
        <script type="module" src="${REFERENCE}page.js"></script>
      </head>
      <body>
        <a class="skip" href="#content">Skip to the content</a>
        <header class="top">
          <a class="brand" href="${REFERENCE}">${LOGO}Cloud phones <span>API reference</span></a>
          <div class="search" id="search" data-index="${REFERENCE}search.json" hidden></div>
          <nav aria-label="Elsewhere">
            <a class="to-contents" href="#contents">Contents</a>
            <a class="to-document" href="/openapi-v1.yaml">OpenAPI</a>
            <a href="/">Panel</a>
          </nav>
        </header>
        <div class="sheet">
          <nav class="contents" id="contents" aria-label="Contents">
            <a class="to-content" href="#content">Close</a>
            ${groups.map((group) => groupHtml(group, address, below))}
          </nav>
          <main id="content" tabindex="-1">${content}</main>
        </div>
      </body>
    </html>
`.toString();
}

const LOGO = markup`<svg viewBox="0 0 32 32" width="26" height="26" aria-hidden="true">
  <rect width="32" height="32" rx="8" fill="#3b5bdb" />
  <rect x="10" y="5" width="12" height="22" rx="3" fill="#fff" />
  <rect x="12" y="8" width="8" height="14" rx="1" fill="#3b5bdb" />
  <circle cx="16" cy="24.5" r="1.1" fill="#3b5bdb" />
</svg>`;

function groupHtml({ title, entries, isFolded = false }: Group, present: string, below: readonly Entry[]): Html {
  const items = entries.map((entry) =>
    entry.address === present
      ? markup`<li><a href="${present}" aria-current="page">${entry.title}</a>${listOf(below.map(linkTo))}</li>`
      : linkTo(entry),
  );
  if (!isFolded) return markup`<h2>${title}</h2>${listOf(items)}`;
  const isHere = entries.some(({ address }) => address === present);
  return markup`<details${attributeIf(isHere, 'open')}><summary>${title}</summary>${listOf(items)}</details>`;
}

function listOf(items: readonly Html[]): Html | undefined {
  return items.length === 0 ? undefined : markup`<ul>${items}</ul>`;
}

function linkTo({ address, title }: Entry): Html {
  return markup`<li><a href="${address}">${title}</a></li>`;
}
