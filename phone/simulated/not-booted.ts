/** A part was asked for that the boot has not reached. Commands answer it as a phone does: the service is not there. */
export class NotBooted extends Error {
  override name = 'NotBooted';

  constructor(part: string) {
    super(`${part} is not up yet`);
  }
}
