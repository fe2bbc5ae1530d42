import type { Json } from '../json.js';
import { addressOfResource, operationFinder, REFERENCE } from './address.js';
import { type Api, readApi } from './api.js';
import { frame, type Group, type Page } from './frame.js';
import { type Guides, openGuides } from './guides.js';
import type { Links } from './markdown.js';
import { resourcePage } from './resource-page.js';
import { searchIndex } from './search-index.js';
import { startPage } from './start-page.js';

/** All pages of one document, each made at its first request. */
export interface Site {
  /** Makers of pages, by address. */
  pages: ReadonlyMap<string, () => Promise<string>>;
  /** What the search finds, as JSON. */
  index(): Promise<string>;
}

/** Makes the pages of an OpenAPI document and of the guides. */
export function createSite(document: Json): Site {
  const api = readApi(document);
  const guides = openGuides();
  const operationAt = operationFinder(api);
  const links = {
    operationAt,
    linkTo: (target: string) => (/^(?:https?:\/\/|#|\/)/.test(target) ? target : undefined),
  };
  const groups = [resourceGroup(api), ...guides.groups];
  const framed = (page: Page): string => frame(page, groups);
  const pages = new Map<string, () => Promise<string>>([
    [REFERENCE, async () => framed(startPage(api, guides.groups, links))],
    ...api.resources.map(
      (resource) => [addressOfResource(resource), async () => framed(resourcePage(resource, api, links))] as const,
    ),
    ...[...guides.files].map(
      ([address, path]) => [address, async () => frame(await guides.page(path, operationAt), groups)] as const,
    ),
  ]);
  return { pages, index: async () => JSON.stringify(searchIndex(api, await listed(guides, operationAt))) };
}

/** The pages of the guides in the sidebar. */
function listed(guides: Guides, operationAt: Links['operationAt']): Promise<Page[]> {
  const entries = guides.groups.flatMap((group) => group.entries);
  return Promise.all(
    entries.map(async ({ address, title }) => {
      const page = await guides.page(guides.files.get(address) ?? '', operationAt);
      return { ...page, title };
    }),
  );
}

function resourceGroup({ resources }: Api): Group {
  const entries = resources.map((resource) => ({ address: addressOfResource(resource), title: resource.name }));
  return { title: 'Resources', entries: [{ address: REFERENCE, title: 'Overview' }, ...entries] };
}
