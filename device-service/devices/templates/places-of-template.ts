import { ApiError } from '../../../kit/errors/api-error.js';
import { RESERVE_DISK_MB } from '../../../phone/files/measure-capacity.js';
import { hasHost, type TemplateDocument } from '../../store/templates.js';
import { type Place, type PlacesContext, placesFor } from '../hosts/place-phone.js';

const MIB = 1024 * 1024;

/**
 * Returns the places that a phone of a template may go to, the best first. Hosts that have its files come first. Others follow where files
 * can be copied to them, and they have room for the files. Throws the reason where there is no such host.
 */
export async function placesOfTemplate(
  context: PlacesContext,
  template: TemplateDocument,
): Promise<readonly [Place, ...Place[]]> {
  const { driver, model, android, archive, sizeBytes = 0 } = template;
  const ofModel = await placesFor(context, model).catch((error: unknown) => {
    throw error instanceof ApiError && error.kind === 'bad_request'
      ? refusal(template, `no host offers its model "${model}" any more`)
      : error;
  });
  const ofDriver = ofModel.filter((place) => place.driver === driver && place.templates);
  if (ofDriver.length === 0)
    throw refusal(template, `it is of phones of the kind "${driver}", and no host makes "${model}" as that kind now`);
  const ofVersion = ofDriver.filter((place) => place.model.android.includes(android));
  if (ofVersion.length === 0)
    throw refusal(template, `its phones have Android ${android}, which "${model}" is not offered with any more`);
  const neededMb = (archive?.sizeBytes ?? sizeBytes) / MIB + RESERVE_DISK_MB;
  const has = ({ hostId }: Place): boolean => hasHost(template, hostId);
  const canGet = (place: Place): boolean => archive !== undefined && place.moves && place.freeDiskMb >= neededMb;
  const [first, ...others] = [
    ...ofVersion.filter((place) => has(place)),
    ...ofVersion.filter((place) => !has(place) && canGet(place)),
  ];
  if (first !== undefined) return [first, ...others];
  const message =
    `No host that has the template "${template.name}", or can get its files, has room for a phone now. ` +
    'Stop or delete a device, or try again later.';
  throw new ApiError('unavailable', message, { retryAfterS: 60 });
}

function refusal({ name }: TemplateDocument, why: string): ApiError {
  return new ApiError(
    'bad_request',
    `template: no phone can be made from "${name}": ${why}. Make a new template of a device that has what is offered now.`,
  );
}
