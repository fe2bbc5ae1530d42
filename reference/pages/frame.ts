import { HOME, REFERENCE } from '../api/address.js';
import { attributeIf, type Html, markup } from './html.js';

/** A link in the sidebar. */
export interface Entry {
  address: string;
  title: string;
}

/** The two parts of the documentation. */
export type SitePart = 'guides' | 'reference';

/** The links of the sidebar. The groups of the present part are unfolded. */
export interface Group {
  title: string;
  part: SitePart;
  entries: readonly Entry[];
}

export interface Page {
  address: string;
  part: SitePart;
  /** The title of the window, without markup. */
  title: string;
  content: Html;
  /** Links to the parts of the page, for the sidebar. */
  below: readonly Entry[];
}

/**
 * Returns a whole page: the search, the sidebar, and the page's content. All but the search shows without a script. `assets` is the address
 * of the styles and scripts.
 */
export function frame(
  { address, part, title, content, below }: Page,
  groups: readonly Group[],
  assets: string,
): string {
  const link = (to: string, name: string, own: SitePart): Html =>
    markup`<a href="${to}"${attributeIf(part === own, 'aria-current="true"')}>${name}</a>`;
  // The groups of the present part come first.
  const ordered = [...groups.filter((group) => group.part === part), ...groups.filter((group) => group.part !== part)];
  return markup`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        <link rel="icon" href="/favicon.svg" />
        <link rel="stylesheet" href="${assets}page.css" />
        <script type="module" src="${assets}page.js"></script>
      </head>
      <body>
        <a class="skip" href="#content">Skip to the content</a>
        <header class="top">
          <a class="brand" href="${HOME}">${LOGO}Cloud phones <span>Docs</span></a>
          <div class="search" id="search" data-index="${REFERENCE}search.json" hidden></div>
          <nav aria-label="Documentation">
            <a class="to-contents" href="#contents">Contents</a>
            ${link(HOME, 'Guides', 'guides')} ${link(REFERENCE, 'API reference', 'reference')}
            <a class="to-panel" href="/">Panel</a>
          </nav>
        </header>
        <div class="sheet">
          <nav class="contents" id="contents" aria-label="Contents">
            <a class="to-content" href="#content">Close</a>
            <ul>
              ${linkTo({ address: HOME, title: 'Docs home' }, address, [])}
              ${linkTo({ address: REFERENCE, title: 'API overview' }, address, below)}
            </ul>
            ${ordered.map((group) => groupHtml(group, part, address, below))}
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

function groupHtml({ title, entries, part }: Group, here: SitePart, present: string, below: readonly Entry[]): Html {
  const isOpen = part === here || entries.some(({ address }) => address === present);
  return markup`<details${attributeIf(isOpen, 'open')}>
    <summary>${title}</summary>
    <ul>
      ${entries.map((entry) => linkTo(entry, present, below))}
    </ul>
  </details>`;
}

/** Returns a link. Below the link of the present page are the links to the page's parts. */
function linkTo({ address, title }: Entry, present: string, below: readonly Entry[]): Html {
  if (address !== present) return markup`<li><a href="${address}">${title}</a></li>`;
  const inside = below.map((entry) => linkTo(entry, present, []));
  const list = inside.length === 0 ? undefined : markup`<ul>${inside}</ul>`;
  return markup`<li><a href="${address}" aria-current="page">${title}</a>${list}</li>`;
}
