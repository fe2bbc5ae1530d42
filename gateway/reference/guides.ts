import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Json } from './json.js';

/** Beside the sources, of which dist/ has compiled files only. */
const DOCS = fileURLToPath(new URL('../../../docs/', import.meta.url));

/** The guides that the page shows before the operations, in order: file in docs/ and title. */
const GUIDES = [
  ['first-phone.md', 'First phone in five minutes'],
  ['agent-loop.md', 'An agent loop'],
  ['mcp.md', 'Phones for AI agents, by MCP'],
  ['live.md', 'Live screens'],
  ['adb.md', 'ADB'],
  ['appium.md', 'Appium'],
  ['events.md', 'Events'],
  ['timeline.md', 'Timeline'],
  ['shares.md', 'Shares'],
  ['conditions.md', 'Conditions'],
  ['webhooks.md', 'Webhooks'],
  ['errors-and-limits.md', 'Errors and limits'],
  ['grpc.md', 'gRPC for internal teams'],
] as const;

/** The document as the page shows it: with the guides as sections of their own, which are tags without operations. */
export async function withGuides(document: Json): Promise<Json> {
  const guides = await Promise.all(
    GUIDES.map(async ([file, name]) => ({
      name,
      description: sectionOf(await readFile(DOCS + file, 'utf8')),
      'x-traitTag': true,
    })),
  );
  const tags = document['tags'] as readonly { name: string }[];
  const group = (name: string, members: readonly { name: string }[]): Json => ({
    name,
    tags: members.map((tag) => tag.name),
  });
  return {
    ...document,
    tags: [...guides, ...tags],
    'x-tagGroups': [group('Guides', guides), group('Operations', tags)],
  };
}

/** A guide without its title, which is the section's, its headings one level down, and its links to other files as their names. */
function sectionOf(markdown: string): string {
  return markdown
    .replace(/^# .*\n+/, '')
    .replace(/^## /gm, '### ')
    .replace(/\[([^\]]+)\]\((?!https?:|\/|#)[^)]+\)/g, '$1');
}
