import type { Json } from '../document/json.js';
import { buildIndex } from '../search/build-index.js';
import { entriesOf } from '../search/entries.js';
import { addressOfResource, HOME, operationFinder, REFERENCE } from '../api/address.js';
import { type Api, readApi } from '../api/api.js';
import { frame, type Group, type Page } from '../pages/frame.js';
import { type OpenShelf, openGuides } from '../pages/guides.js';
import { homePage } from '../pages/home-page.js';
import { resourcePage } from '../pages/resource-page.js';
import { startPage } from '../pages/start-page.js';

/** The pages of one API document and of the guides. Each page is made when a reader requests it. */
export interface Site {
  /** Makers of pages, by address. */
  pages: ReadonlyMap<string, () => Promise<string>>;
  /** Returns the search index as JSON. */
  index(): string;
}

/** Makes the pages of an OpenAPI document and of the guides. `assets` is the address of the files that the pages load. */
export function createSite(document: Json, assets: string): Site {
  const api = readApi(document);
  const guides = openGuides();
  const operationAt = operationFinder(api);
  const links = {
    operationAt,
    linkTo: (target: string) => (/^(?:https?:\/\/|#|\/)/.test(target) ? target : undefined),
  };
  const groups = groupsOf(api, guides.shelves);
  const framed = (page: Page): string => frame(page, groups, assets);
  const pages = new Map<string, () => Promise<string>>([
    [HOME, async () => framed(homePage(api, guides.shelves))],
    [REFERENCE, async () => framed(startPage(api, links))],
    ...api.resources.map(
      (resource) => [addressOfResource(resource), async () => framed(resourcePage(resource, api, links))] as const,
    ),
    ...[...guides.files].map(
      ([address, path]) => [address, async () => framed(await guides.page(path, operationAt))] as const,
    ),
  ]);
  return { pages, index: () => buildIndex(entriesOf(api, guides.shelves)) };
}

/** The links of the sidebar: the guides by reader, and the resources of the API. */
function groupsOf(api: Api, shelves: readonly OpenShelf[]): Group[] {
  return [
    ...shelves.map(({ reader, guides }): Group => ({ title: reader, part: 'guides', entries: guides })),
    ...api.groups.map(({ title, resources }): Group => {
      const entries = resources.map((resource) => ({ address: addressOfResource(resource), title: resource.title }));
      return { title, part: 'reference', entries };
    }),
  ];
}
