/**
 * The error for a part of the phone that the boot has not started yet. Commands report it as a real phone does: the service is not found.
 */
export class NotBooted extends Error {
  override name = 'NotBooted';

  constructor(part: string) {
    super(`${part} is not up yet`);
  }
}
