import { type DescService, getOption, hasOption } from '@bufbuild/protobuf';
import { type Resource, resource, ResourceGroup } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import type { Route } from '../../gateway/routes/route.js';
import { commentOf } from './contract-text.js';
import type { Json } from './json.js';
import { tagOf } from './operation.js';

/**
 * Returns the tags of the document, one for each service, and their groups in the order of the contract. The names of tags are parts of
 * addresses and of generated clients, so people are shown `x-displayName` in their place. Throws for a service that has routes, but no
 * place in the contract: there is no other list of resources.
 */
export function tagsOf(routes: readonly Route[]): Json {
  const services = new Map<string, DescService>(routes.map((route) => [tagOf(route), route.rpc.parent]));
  const tags = [...services]
    .map(([name, service]) => ({ place: placeOf(service), name, description: commentOf(service) }))
    .sort((a, b) => a.place.group - b.place.group || a.place.position - b.place.position);
  const groups = [...new Set(tags.map(({ place }) => place.group))];
  return {
    tags: tags.map(({ place, name, description }) => ({ name, 'x-displayName': place.name, description })),
    'x-tagGroups': groups.map((group) => ({
      name: titleOf(group),
      tags: tags.filter(({ place }) => place.group === group).map(({ name }) => name),
    })),
  };
}

function placeOf(service: DescService): Resource {
  const place = hasOption(service, resource) ? getOption(service, resource) : undefined;
  if (place === undefined || place.name === '' || place.group === ResourceGroup.UNSPECIFIED || place.position < 1) {
    throw new Error(
      `${service.typeName}: it has routes, but no option \`resource\` with a name, a group and a position`,
    );
  }
  return place;
}

/** The name of a group as a title: APPS_AND_FILES is "Apps and files". */
function titleOf(group: ResourceGroup): string {
  const words = ResourceGroup[group].toLowerCase().replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
